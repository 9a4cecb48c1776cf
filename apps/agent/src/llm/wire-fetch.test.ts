import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { wireFetch } from './wire-fetch.ts';

test('only listed headers are sent, and every byte of the body counts, including comments, which the SDK does not receive', async () => {
  const body = ': keep-alive\n\ndata: {}\n\n';
  let got: NodeJS.Dict<string | string[]> = {};
  const server = createServer((request, response) => {
    got = request.headers;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let bytes = 0;
  const endpoint = {
    provider: 'openai',
    vendor: 'OpenAI',
    baseUrl: 'http://localhost',
    isVendor: false,
    keyVariable: 'OPENAI_API_KEY',
    path: '/responses',
    apiKey: 'none',
  };
  const send = wireFetch({
    endpoint,
    headers: { authorization: 'Bearer ours' },
    passed: new Set(['accept']),
    onBytes: (count) => (bytes += count),
  });
  const response = await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    headers: { accept: 'x/y', authorization: 'Bearer theirs', 'x-other': '1' },
  });
  expect(await response.text()).toBe('data: {}\n\n');
  server.close();
  expect(got).toMatchObject({ accept: 'x/y', authorization: 'Bearer ours' });
  expect(got).not.toHaveProperty('x-other');
  expect(bytes).toBe(body.length);
});

test('only the first 64 KiB of an error body are read, and the connection is closed', async () => {
  let isCancelled = false;
  let isFirst = true;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      controller.enqueue(
        new TextEncoder().encode(isFirst ? ': no comment\n\n' : 'x'.repeat(10_000)),
      );
      isFirst = false;
    },
    cancel() {
      isCancelled = true;
    },
  });
  let bytes = 0;
  const endpoint = {
    provider: 'openai',
    vendor: 'OpenAI',
    baseUrl: 'http://localhost',
    isVendor: false,
    keyVariable: 'OPENAI_API_KEY',
    path: '/responses',
    apiKey: 'none',
  };
  const send = wireFetch({
    endpoint,
    headers: {},
    passed: new Set(),
    onBytes: (count) => (bytes += count),
    send: () => Promise.resolve(new Response(body, { status: 500 })),
  });
  const text = await (await send('http://localhost/')).text();
  expect(text).toMatch(/^: no comment\n\nx+$/);
  expect(text).toHaveLength(65_536);
  expect(bytes).toBeLessThan(65_536 + 10_000);
  expect(isCancelled).toBe(true);
});
