import { expect, test } from 'vitest';
import { ARTIFACT_READ, MAX_ARTIFACT_BYTES } from '../run/results/artifacts.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

const TEXT = `name,amount\n${'x,1\n'.repeat(400_000)}€`;

async function open() {
  const service = await openService({
    script: ({ messages }) => {
      const id = /\[The user attached artifacts[^\n]*\n([\w-]+): text\/csv/.exec(
        messages[0]?.content.map((block) => ('text' in block ? block.text : '')).join('') ?? '',
      )?.[1];
      return messages.length > 1 || id === undefined
        ? { text: 'done' }
        : { calls: [{ name: ARTIFACT_READ, input: { id, limit: 12 } }] };
    },
  });
  const edge = await createServiceEdge(service);
  const upload = (
    payload: string | Buffer,
    headers: { readonly [name: string]: string } = { 'content-type': 'text/csv; charset=utf-8' },
  ) =>
    edge.app.inject({
      method: 'POST',
      url: '/v1/artifacts',
      headers: { host: 'localhost', ...headers },
      payload,
    });
  return { service, edge, upload };
}

test('a text that a client uploads is read by the model of a run that names it', async () => {
  const { service, edge, upload } = await open();
  const created = await upload(TEXT);
  const { id } = created.json<{ readonly id: string }>();
  expect([created.statusCode, created.headers['location'], created.json()]).toEqual([
    201,
    `/v1/artifacts/${id}`,
    {
      id,
      media_type: 'text/csv',
      bytes: Buffer.byteLength(TEXT),
      original_bytes: Buffer.byteLength(TEXT),
      created_at: expect.any(String) as string,
    },
  ]);
  expect((await edge.request('GET', `/v1/artifacts/${id}`)).body).toBe(TEXT);
  const run = (
    await edge.request('POST', '/v1/runs', { body: { prompt: 'sum up', artifacts: [id] } })
  ).json<{ readonly id: string }>();
  await service.settled(run.id);
  expect(JSON.stringify((await service.call(run.id)).result)).toContain('name,amount');
  expect((await edge.request('GET', `/v1/runs/${run.id}/artifacts`)).json()).toEqual({
    data: [created.json()],
  });
});

test('an unknown artifact is refused, and no run is stored', async () => {
  const { service, edge, upload } = await open();
  const { id } = (await upload('x')).json<{ readonly id: string }>();
  const refused = await edge.request('POST', '/v1/runs', {
    body: { prompt: 'go', artifacts: [id, 'none'] },
  });
  expect(refused.json()).toMatchObject({
    status: 400,
    code: 'unknown_artifact',
    errors: [{ path: '/body/artifacts/1' }],
  });
  expect((await service.read.runs({ limit: 1 })).data).toEqual([]);
});

test.each<[string, string | Buffer, { readonly [name: string]: string }, number, string]>([
  ['JSON', '{}', { 'content-type': 'application/json' }, 415, 'unsupported_media_type'],
  ['an image', 'x', { 'content-type': 'image/png' }, 415, 'unsupported_media_type'],
  [
    'another character set',
    'x',
    { 'content-type': 'text/plain; charset=latin1' },
    415,
    'unsupported_media_type',
  ],
  ['bytes', Buffer.from([0xff]), { 'content-type': 'text/plain' }, 400, 'invalid_request'],
  [
    'a text over 4 MiB',
    'x'.repeat(MAX_ARTIFACT_BYTES + 1),
    { 'content-type': 'text/plain' },
    413,
    'payload_too_large',
  ],
])('an upload of %s is refused', async (_, payload, headers, status, code) => {
  const { upload } = await open();
  expect((await upload(payload, headers)).json()).toMatchObject({ status, code });
});

test('a text of 4 MiB is stored, and other endpoints take no text', async () => {
  const { edge, upload } = await open();
  const type = { 'content-type': 'text/plain' };
  expect((await upload('x'.repeat(MAX_ARTIFACT_BYTES), type)).statusCode).toBe(201);
  const run = await edge.request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: type });
  expect(run.statusCode).toBe(415);
});

test('an upload that is repeated with its Idempotency-Key is stored once', async () => {
  const { upload } = await open();
  const headers = { 'content-type': 'text/plain', 'idempotency-key': 'k' };
  const first = await upload('same', headers);
  const again = await upload('same', headers);
  expect([again.statusCode, again.headers['idempotent-replayed'], again.body]).toEqual([
    201,
    'true',
    first.body,
  ]);
  expect((await upload('other', headers)).json()).toMatchObject({ code: 'idempotency_key_reused' });
});
