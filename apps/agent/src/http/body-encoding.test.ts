import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

const json = { 'content-type': 'application/json' };
const title = '{"title":"Zürich"}';

async function open() {
  const edge = await createServiceEdge(await openService({ script: callsThenAnswer([], 'done') }));
  return (url: string, payload: Buffer, headers: { readonly [name: string]: string }) =>
    edge.app.inject({
      method: 'POST',
      url,
      payload,
      headers: { host: '127.0.0.1', ...headers },
    });
}

test.each([
  ['Latin-1', Buffer.from(title, 'latin1')],
  ['UTF-16', Buffer.from(`\uFEFF${title}`, 'utf16le')],
  ['UTF-8 that is cut within a character', Buffer.from('{"title":"Zü').subarray(0, -1)],
])('a body in %s is refused instead of stored with replaced characters', async (_, body) => {
  const post = await open();
  expect((await post('/v1/threads', body, json)).json()).toMatchObject({
    status: 400,
    code: 'invalid_json',
    detail: 'the body is not text in UTF-8',
  });
});

test('a body may begin with a byte order mark', async () => {
  const post = await open();
  const response = await post('/v1/threads', Buffer.from(`\uFEFF${title}`), json);
  expect([response.statusCode, response.json()]).toMatchObject([201, { title: 'Zürich' }]);
});

test.each([
  ['/v1/threads', json],
  ['/v1/artifacts', { 'content-type': 'application/octet-stream' }],
])('a compressed body is refused by %s', async (url, headers) => {
  const post = await open();
  const response = await post(url, gzipSync(title), { ...headers, 'content-encoding': 'gzip' });
  expect(response.json()).toMatchObject({
    status: 415,
    code: 'unsupported_media_type',
    detail: 'the body has the content-encoding "gzip"; send it without a content-encoding',
  });
  const plain = await post(url, Buffer.from(title), { ...headers, 'content-encoding': 'identity' });
  expect(plain.statusCode).toBe(201);
});
