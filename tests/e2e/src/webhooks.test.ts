import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { ApiClient } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { startService, startServiceProcess, temporaryFolder } from './support/service.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts an endpoint that calls `answer` for each request. Returns its URL. */
async function startEndpoint(answer: (request: Received) => number | undefined): Promise<string> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => {
        const status = answer({
          headers: request.headers,
          body: Buffer.concat(pieces).toString(),
        });
        if (status !== undefined) response.writeHead(status).end();
      });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

interface Deliveries {
  readonly data: readonly { readonly state: string; readonly attempts: number }[];
}

test('a worker that is killed after the request and before its commit leaves the delivery to the next process, which sends it with the same id', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const scenario = await writeScenario(folder.path, [{ prompt: 'go', steps: [], answer: 'done' }]);
  const options = {
    folder: folder.path,
    config: {
      llm: { provider: 'scripted', scenario },
      webhooks: { allowed_networks: ['127.0.0.1'] },
    },
  };
  const api = await startService({ ...options, args: ['--role', 'api'] });
  const worker = await startServiceProcess({
    ...options,
    args: ['--role', 'worker', '--port', '0'],
  });
  onTestFinished(() => worker.stop('SIGKILL'));
  const received: Received[] = [];
  const again = Promise.withResolvers<void>();
  const url = await startEndpoint((request) => {
    received.push(request);
    if (received.length === 1) {
      worker.process.kill('SIGKILL');
      return undefined;
    }
    again.resolve();
    return 204;
  });
  const client = new ApiClient(api.url);
  const { id, secret } = await client.post<{ readonly id: string; readonly secret: string }>(
    '/v1/webhooks',
    { url, event_types: ['run.completed'] },
  );
  const killed = once(worker.process, 'exit');
  const run = await client.start('go');
  await killed;
  await api.stop();
  expect(received).toHaveLength(1);

  const next = await startService(options);
  onTestFinished(() => next.stop());
  await again.promise;
  const state = async (): Promise<Deliveries['data']> =>
    (await new ApiClient(next.url).get<Deliveries>(`/v1/webhooks/${id}/deliveries`)).data;
  await expect.poll(state, { interval: 50 }).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  const settled = await new ApiClient(next.url).run(run.id);
  for (const { headers, body } of received) {
    expect(headers['webhook-id']).toBe(`${run.id}:${settled.last_seq}`);
    const signed = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    );
    expect(new Webhook(secret).verify(body, signed)).toMatchObject({
      type: 'run.completed',
      data: { run_id: run.id, seq: settled.last_seq },
    });
  }
  expect(received.map(({ body }) => body)).toEqual([received[0]?.body, received[0]?.body]);
  expect(`${api.log()}${worker.log()}${next.log()}`).not.toContain(secret);
});
