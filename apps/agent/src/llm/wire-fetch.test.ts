import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { wireFetch } from './wire-fetch.ts';

test('only the headers that are named leave, and every byte of the body is told, comments included', async () => {
  const body = ': keep-alive\n\ndata: {}\n\n';
  let got: NodeJS.Dict<string | string[]> = {};
  const server = createServer((request, response) => {
    got = request.headers;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let bytes = 0;
  const endpoint = { provider: 'openai', vendor: 'OpenAI', baseUrl: 'http://localhost', isVendor: false, keyVariable: 'OPENAI_API_KEY', path: '/responses', apiKey: 'none' };
  const send = wireFetch({ endpoint, headers: { authorization: 'Bearer ours' }, passed: new Set(['accept']), onBytes: (count) => (bytes += count) });
  const response = await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers: { accept: 'x/y', authorization: 'Bearer theirs', 'x-other': '1' } });
  expect(await response.text()).toBe(body);
  server.close();
  expect(got).toMatchObject({ accept: 'x/y', authorization: 'Bearer ours' });
  expect(got).not.toHaveProperty('x-other');
  expect(bytes).toBe(body.length);
});
