import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { systemClock } from '../system/system-clock.ts';
import { openStream } from './open-stream.ts';
import { failure } from './testing/failure.ts';

const ENDPOINT = {
  provider: 'openai',
  vendor: 'OpenAI',
  baseUrl: 'http://localhost/v1',
  isVendor: false,
  keyVariable: 'OPENAI_API_KEY',
  path: '/responses',
  apiKey: 'none',
};

/** Opens a stream whose response is given, and counts its bytes. */
function openWith(response: Response) {
  const counted = { bytes: 0 };
  const opened = openStream<string>({
    endpoint: ENDPOINT,
    body: '{}',
    signal: new AbortController().signal,
    limits: {
      clock: systemClock,
      random: () => 0,
      idleTimeoutMs: 1000,
      deadlineMs: 1000,
      send: () => Promise.resolve(response),
    },
    onBytes: (count) => (counted.bytes += count),
    convert: ({ data }) => data,
  });
  return { opened, counted };
}

test('every byte of the body counts, including comments, which are no events', async () => {
  const body = ': keep-alive\n\ndata: 1\n\ndata: 2';
  const { opened, counted } = openWith(new Response(body, { headers: { 'x-request-id': 'r1' } }));
  const { events, requestId } = await opened;
  const taken: string[] = [];
  do {
    for (let event = events.take(); event !== undefined; event = events.take()) taken.push(event);
  } while (await events.more());
  expect(taken).toEqual(['1', '2']);
  expect(requestId).toBe('r1');
  expect(counted.bytes).toBe(body.length);
});

test('only the first 64 KiB of an error body are read, and the connection is closed', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(10_000))),
    cancel() {
      isCancelled = true;
    },
  });
  const { opened, counted } = openWith(new Response(body, { status: 500 }));
  expect((await failure(opened)).message).toMatch(/answered 500: x{400}\./);
  expect(counted.bytes).toBeGreaterThanOrEqual(65_536);
  expect(counted.bytes).toBeLessThan(65_536 + 10_000);
  expect(isCancelled).toBe(true);
});

const SCRIPT = `
const { httpPost } = await import(process.argv[1]);
const response = await httpPost()({ url: 'http://model.invalid/v1/x', headers: {}, body: '{}', signal: new AbortController().signal });
console.log(Buffer.from(await response.read()).toString());
`;

test('a request goes through the proxy of the environment, if NODE_USE_ENV_PROXY is set', async () => {
  const proxy = createServer((request, response) => {
    response.end(`proxied ${request.url}`);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--conditions=@signalbox/source',
      '--input-type=module',
      '-e',
      SCRIPT,
      join(import.meta.dirname, 'http-post.ts'),
    ],
    {
      env: {
        NODE_USE_ENV_PROXY: '1',
        HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      },
    },
  );
  proxy.close();
  expect(stdout).toBe('proxied http://model.invalid/v1/x\n');
});
