import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ApiClient } from './client.ts';

interface State {
  readonly name: string;
  readonly state: string;
  readonly restarts: number;
}

const server = (name: string, state: string, restarts = 0): State => ({ name, state, restarts });

/** Starts an API whose servers have the given states, one list for each read, and the last one from then on. */
async function startApi(
  reads: readonly (readonly State[])[],
): Promise<{ readonly url: string; readonly requests: readonly string[] }> {
  const requests: string[] = [];
  const left = [...reads];
  const api = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const states = left.length > 1 ? left.shift() : left[0];
    const body = request.method === 'GET' ? { data: states } : { id: 'r' };
    response.setHeader('content-type', 'application/json');
    request.resume().on('end', () => response.end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  onTestFinished(() => {
    api.closeAllConnections();
    api.close();
  });
  return { url: `http://127.0.0.1:${(api.address() as AddressInfo).port}`, requests };
}

const READ = 'GET /v1/servers';
const CREATE = 'POST /v1/runs';

test('a run is started when every server was ready or has failed, which is read no more then', async () => {
  const { url, requests } = await startApi([
    [server('a', 'connecting'), server('b', 'connecting')],
    [server('a', 'ready'), server('b', 'connecting')],
    [server('a', 'ready'), server('b', 'connecting', 1)],
  ]);
  const api = new ApiClient(url);
  await api.start('go');
  await api.start('go');
  expect(requests).toEqual([READ, READ, READ, CREATE, CREATE]);
});

test('a run waits only for its own servers', async () => {
  const { url, requests } = await startApi([[server('a', 'failed'), server('b', 'connecting')]]);
  await new ApiClient(url).start('go', { servers: ['a'] });
  expect(requests).toEqual([READ, CREATE]);
});

test('a test of late servers starts its runs at once', async () => {
  const { url, requests } = await startApi([[server('a', 'connecting')]]);
  await new ApiClient(url, { waitsForServers: false }).start('go');
  expect(requests).toEqual([CREATE]);
});
