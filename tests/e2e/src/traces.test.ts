// Traces of the real service: what a collector and a server receive, and that a collector that is away does no harm.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiClient, type RunView } from './support/client.ts';
import { startCollector, type Collector } from './support/collector.ts';
import { writeScenario } from './support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceOptions,
} from './support/service.ts';

const tellingServer = fileURLToPath(new URL('support/telling-server.ts', import.meta.url));
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN = 'b7ad6b7169203331';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let collector: Collector;
let service: Service | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
  collector = await startCollector();
});
afterEach(async () => {
  await service?.stop();
  collector.close();
  await folder.remove();
});

async function optionsWith(env: { readonly [name: string]: string }): Promise<ServiceOptions> {
  const scenario = await writeScenario(folder.path, [
    {
      prompt: 'canary-prompt',
      steps: [[{ tool: 'telling__repeat-it', input: { text: 'canary-argument' } }]],
      answer: 'canary-answer',
    },
  ]);
  const telling = {
    command: 'node',
    args: [tellingServer, join(folder.path, 'record')],
    signalbox: { trust: true, approval: 'auto' },
  };
  return {
    folder: folder.path,
    config: { llm: { provider: 'scripted', scenario }, mcpServers: { telling } },
    env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', ...env },
  };
}

test('a run is one trace from the request of the client to the call that the server receives; no text of the run, key or token is in it', async () => {
  const token = 'canary-token';
  const options = await optionsWith({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=canary-key',
    OTEL_SERVICE_NAME: 'the-service',
    SIGNALBOX_TOKEN: token,
    OPENAI_API_KEY: 'canary-provider-key',
  });
  service = await startServiceProcess(options);
  const response = await fetch(`${service.url}/v1/runs`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      prefer: 'wait=60',
      traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-01`,
      tracestate: 'vendor=1',
      baggage: 'secret=canary-baggage',
    },
    body: JSON.stringify({ prompt: 'canary-prompt' }),
  });
  expect(await response.json()).toMatchObject({ status: 'completed', answer: 'canary-answer' });
  // The last spans are sent at the end, without waiting for the next batch.
  await service.stop();

  const spans = collector.spans();
  const pathOf = (spanId: string | undefined): string => {
    const span = spans.find((each) => each.spanId === spanId);
    return span === undefined ? (spanId ?? '') : `${pathOf(span.parentSpanId)}/${span.name}`;
  };
  const run = `${CLIENT_SPAN}/invoke_agent`;
  expect(spans.map(({ spanId }) => pathOf(spanId)).toSorted()).toEqual([
    run,
    `${run}/turn`,
    `${run}/turn`,
    `${run}/turn/chat scripted`,
    `${run}/turn/chat scripted`,
    `${run}/turn/tools/call repeat-it`,
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
  expect(collector.bodies.join()).toContain('the-service');
  expect(collector.bodies.join()).not.toContain('canary');
  expect(collector.headers[0]).toMatchObject({ 'x-api-key': 'canary-key' });

  const record = readFileSync(join(folder.path, 'record'), 'utf8');
  const call = record.split('\n').find((line) => line.includes('"tools/call"')) ?? '{}';
  const {
    params: { _meta: meta },
  } = JSON.parse(call) as { readonly params: { readonly _meta: object } };
  const toolSpan = spans.find(({ name }) => name === 'tools/call repeat-it');
  expect(meta).toMatchObject({
    traceparent: `00-${TRACE_ID}-${toolSpan?.spanId}-01`,
    tracestate: 'vendor=1',
  });
  expect(meta).not.toHaveProperty('baggage');
  expect(service.log()).not.toContain('traces could not be sent');
});

test('without traces their modules are not loaded', () => {
  const bundle = fileURLToPath(
    new URL('bundle', import.meta.resolve('@signalbox/agent/package.json')),
  );
  const files = readdirSync(bundle)
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ name, text: readFileSync(join(bundle, name), 'utf8') }));
  const traces = files.filter(({ text }) => text.includes('BatchSpanProcessor'));
  expect(traces.length).toBeGreaterThan(0);
  for (const { name } of traces) {
    expect(name).toMatch(/^export-traces-/);
    expect(
      files.filter(({ text }) => new RegExp(`^(?:} from|import) "./${name}"`, 'm').test(text)),
    ).toEqual([]);
  }
});

test('a collector that is away neither fails a run nor delays the end, and is one line in the log', async () => {
  collector.close();
  const options = await optionsWith({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
  });
  service = await startService(options);
  const api = new ApiClient(service.url);
  const runs: RunView[] = [];
  for (let index = 0; index < 2; index += 1)
    runs.push(await api.settled((await api.start('canary-prompt')).id));
  expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed']);
  await service.stop();
  expect(service.log().match(/traces could not be sent/g)?.length).toBe(1);
});
