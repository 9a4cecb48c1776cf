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

test('an upload is listed until a run is created with it', async () => {
  const { service, edge, upload } = await open();
  const created: { readonly id: string }[] = [];
  for (const text of ['one', 'two']) {
    created.push((await upload(text)).json<{ readonly id: string }>());
    service.clock.advance(1);
  }
  const list = async (query = '') =>
    (await edge.request('GET', `/v1/uploads${query}`)).json<{ readonly next_cursor?: string }>();
  const first = await list('?limit=1');
  expect(first).toEqual({ data: [created[1]], next_cursor: expect.any(String) as string });
  expect(await list(`?limit=1&cursor=${first.next_cursor}`)).toEqual({ data: [created[0]] });
  const body = { prompt: 'sum up', artifacts: [created[1]?.id] };
  const run = (await edge.request('POST', '/v1/runs', { body })).json<{ readonly id: string }>();
  await service.settled(run.id);
  expect(await list()).toEqual({ data: [created[0]] });
});

const PNG = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.alloc(200_000, 'signalbox'),
]);

test('an image that a client uploads is seen by the model, in this turn and the next run of the thread', async () => {
  const { service, edge, upload } = await open();
  const { id } = (await upload(PNG, { 'content-type': 'image/png' })).json<{ id: string }>();
  const stored = await edge.request('GET', `/v1/artifacts/${id}`);
  expect([stored.rawPayload.equals(PNG), stored.headers['content-type']]).toEqual([
    true,
    'image/png',
  ]);
  const thread = (await edge.request('POST', '/v1/threads', { body: {} })).json<{ id: string }>();
  for (const body of [{ artifacts: [id] }, {}]) {
    const run = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'what is it?', thread_id: thread.id, ...body },
    });
    await service.settled(run.json<{ id: string }>().id);
    const content = service.llm.requests.at(-1)!.messages[0]!.content;
    expect(content).toContainEqual({
      type: 'image',
      data: PNG.toString('base64'),
      mimeType: 'image/png',
    });
    expect(JSON.stringify(content)).toContain(`${id}: image/png, ${PNG.length} bytes, shown below`);
  }
  const { data: runs } = await service.read.runs({ limit: 2 });
  for (const run of runs)
    expect(JSON.stringify(await service.read.messages(run.id)).length).toBeLessThan(5000);
});

test.each([
  ['application/pdf', Buffer.from([0x25, 0x50, 0xff]), undefined],
  ['application/octet-stream', Buffer.from([0, 1, 2]), undefined],
  ['application/json', '{"a": [1, 2}', 'text'],
  ['application/vnd.api+json', '{"a": 1}', 'text'],
])('a file of the type %s is stored as it is', async (type, content, text) => {
  const { service, edge, upload } = await open();
  const { id } = (await upload(content, { 'content-type': type })).json<{ id: string }>();
  expect((await edge.request('GET', `/v1/artifacts/${id}`)).rawPayload).toEqual(
    Buffer.from(content),
  );
  const { mediaType, data } = (await service.read.artifact(id))!;
  expect([mediaType, data === undefined ? 'text' : undefined]).toEqual([type, text]);
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
  [
    'a form',
    'x',
    { 'content-type': 'multipart/form-data; boundary=x' },
    415,
    'unsupported_media_type',
  ],
  ['a file without a type', 'x', {}, 415, 'unsupported_media_type'],
  [
    'JSON that is not in UTF-8',
    Buffer.from([0x22, 0xff, 0x22]),
    { 'content-type': 'application/json' },
    400,
    'invalid_request',
  ],
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
  const file = { 'content-type': 'image/png', 'idempotency-key': 'image' };
  expect((await upload(PNG, file)).json()).toEqual((await upload(PNG, file)).json());
  expect((await upload(PNG.subarray(1), file)).json()).toMatchObject({
    code: 'idempotency_key_reused',
  });
});
