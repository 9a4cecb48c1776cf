import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { TraceSettings } from '../config/config.ts';
import { traceSettings } from '../config/trace-settings.ts';
import { recordingLogger } from '../mcp/testing/pool-fixture.ts';
import type { RunEventBody } from '../run/core/events.ts';
import { openTraces } from './open-traces.ts';

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a collector that answers with a status. Returns its address and what it received. */
async function collector(
  status: () => number,
): Promise<{ readonly endpoint: string; readonly received: readonly Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({
        path: request.url,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('latin1'),
      });
      response.writeHead(status()).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

function settingsOf(env: { readonly [name: string]: string }): TraceSettings {
  const { traces } = traceSettings(env);
  if (traces === undefined) throw new Error('traces are off');
  return traces;
}

const RUN: readonly RunEventBody[] = [
  {
    type: 'run.started',
    data: { provider: 'p', model: 'm', scripted: false, notice: undefined },
  },
  { type: 'run.completed', data: { answer: '', output: undefined, scripted: false } },
];

test('spans are sent at the close, as protobuf unless JSON is configured', async () => {
  const { endpoint, received } = await collector(() => 200);
  for (const protocol of ['http/protobuf', 'http/json']) {
    const settings = settingsOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    });
    const logger = recordingLogger();
    const traces = await openTraces(settings, { version: '1.2.3', provider: 'scripted', logger });
    traces?.record('r1', RUN);
    await traces?.close();
    expect(logger.lines).toEqual([]);
  }
  expect(received.map(({ path, headers }) => [path, headers['content-type']])).toEqual([
    ['/v1/traces', 'application/x-protobuf'],
    ['/v1/traces', 'application/json'],
  ]);
  for (const { body } of received)
    for (const text of ['service.name', 'signalbox', '1.2.3', 'signalbox.run.id'])
      expect(body).toContain(text);
});

test('a collector that refuses spans is one warning, and the close does not reject', async () => {
  const { endpoint } = await collector(() => 400);
  const logger = recordingLogger();
  const settings = settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const traces = await openTraces(settings, { version: '1.2.3', provider: 'scripted', logger });
  // Two batches, of at most 512 spans.
  for (let run = 0; run < 600; run += 1) traces?.record(`r${run}`, RUN);
  await traces?.close();
  expect(logger.lines).toEqual([
    expect.stringContaining('traces could not be sent; runs are not affected') as string,
  ]);
});

test('without settings nothing is opened', async () => {
  expect(
    await openTraces(undefined, {
      version: '1.2.3',
      provider: 'scripted',
      logger: recordingLogger(),
    }),
  ).toBeUndefined();
});
