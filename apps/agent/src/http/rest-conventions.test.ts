import { expect, test } from 'vitest';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled } from '../run/testing/fake-registry.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge, type ServiceEdge } from './testing/service-edge.ts';

interface Resource {
  readonly id: string;
  readonly status: string;
  readonly last_seq: number;
  readonly updated_at: string;
  readonly metadata: { readonly [name: string]: string };
}
interface List {
  readonly data: readonly Resource[];
}

const tools = {
  r__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('read')) },
  r__slow: { annotations: READ_ONLY, call: untilCancelled() },
};

async function open(script = callsThenAnswer([], 'done')) {
  const service = await openService({ script, tools });
  const edge = await createServiceEdge(service);
  const start = async (body: object): Promise<Resource> =>
    (await edge.request('POST', '/v1/runs', { body: { prompt: 'go', ...body } })).json<Resource>();
  return { service, edge, start };
}

async function idsOf(edge: ServiceEdge, path: string): Promise<readonly string[]> {
  return (await edge.request('GET', path)).json<List>().data.map(({ id }) => id);
}

test('runs are found by their metadata, by any of several statuses, and by their kind', async () => {
  const { service, edge, start } = await open();
  const ada = await start({ metadata: { user: 'ada', team: 'a' } });
  const bob = await start({ metadata: { user: 'bob', team: 'a' } });
  for (const { id } of [ada, bob]) await service.settled(id);
  const call = (
    await edge.request('POST', '/v1/tools/r__read/call', { body: {} })
  ).json<Resource>();
  await service.settled(call.id);

  expect(await idsOf(edge, '/v1/runs?metadata.user=ada')).toEqual([ada.id]);
  expect(await idsOf(edge, '/v1/runs?metadata[user]=bob&metadata[team]=a')).toEqual([bob.id]);
  expect(await idsOf(edge, '/v1/runs?metadata.user=ada&metadata.team=b')).toEqual([]);
  expect(await idsOf(edge, '/v1/runs?status=completed&status=failed&kind=agent')).toEqual([
    bob.id,
    ada.id,
  ]);
  expect(await idsOf(edge, '/v1/runs?status=failed')).toEqual([]);
  expect(await idsOf(edge, '/v1/runs?kind=call')).toEqual([call.id]);
});

test('runs are found by words of their prompt, answer and id, in pages, together with other filters', async () => {
  const { service, edge, start } = await open(callsThenAnswer([], 'Thirteen are OPEN'));
  const ada = await start({ prompt: 'Count the orders of Zürich', metadata: { user: 'ada' } });
  const bob = await start({ prompt: 'Count orders', metadata: { user: 'bob' } });
  for (const { id } of [ada, bob]) await service.settled(id);
  const found = (query: string): Promise<readonly string[]> => idsOf(edge, `/v1/runs?${query}`);
  expect(await found('q=orders')).toEqual([bob.id, ada.id]);
  expect(await found('q=ORDERS+zurich')).toEqual([ada.id]);
  expect(await found('q=thirteen%20count')).toEqual([bob.id, ada.id]);
  expect(await found(`q=${bob.id}`)).toEqual([bob.id]);
  expect(await found('q=orders&metadata.user=ada')).toEqual([ada.id]);
  expect(await found('q=orders&status=failed')).toEqual([]);
  const page = (await edge.request('GET', '/v1/runs?q=orders&limit=1')).json<{
    next_cursor: string;
  }>();
  expect(await found(`q=orders&limit=1&cursor=${page.next_cursor}`)).toEqual([ada.id]);
  await edge.request('DELETE', `/v1/runs/${ada.id}`);
  expect(await found('q=zurich')).toEqual([]);
});

test.each([
  ['q=', 'must contain a word'],
  ['q=%20%00%E2%80%AE', 'must contain a word'],
  [`q=${'x'.repeat(501)}`, 'at most 500 characters'],
  [`q=${encodeURIComponent('"*'.repeat(5000))}`, 'at most 500 characters'],
  [`q=${Array.from({ length: 17 }, (_, index) => `w${index}`).join('+')}`, 'at most 16'],
  ['q=a&q=b', 'must be text'],
])('a search by %.40s is refused', async (query, message) => {
  const { edge } = await open();
  const response = await edge.request('GET', `/v1/runs?${query}`);
  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({
    code: 'invalid_request',
    errors: [{ path: '/query/q', message: expect.stringContaining(message) as string }],
  });
});

test('operators and quotes of a search are text', async () => {
  const { edge, start } = await open();
  const { id } = await start({ prompt: `say "a OR b" NOT c* %_\\ ' -- \u202eاب` });
  for (const q of ['"a or', 'not c*', '%_\\', "' --", '\u202eاب', '\0say\0'])
    expect([q, await idsOf(edge, `/v1/runs?q=${encodeURIComponent(q)}`)]).toEqual([q, [id]]);
  for (const q of ['a AND b', 'sa%', `' OR '1'='1`, 'say*', 'NEAR(say a)'])
    expect([q, await idsOf(edge, `/v1/runs?q=${encodeURIComponent(q)}`)]).toEqual([q, []]);
});

test('PATCH sets, keeps and removes entries of the metadata of a run', async () => {
  const { service, edge, start } = await open();
  const { id } = await start({ metadata: { user: 'ada', team: 'a' } });
  await service.settled(id);
  const patch = async (body: object, path = `/v1/runs/${id}`) =>
    edge.request('PATCH', path, { body });
  expect((await patch({ metadata: { team: null, seen: 'yes' } })).json()).toMatchObject({
    id,
    metadata: { user: 'ada', seen: 'yes' },
  });
  expect((await edge.request('GET', `/v1/runs/${id}`)).json<Resource>().metadata).toEqual({
    user: 'ada',
    seen: 'yes',
  });
  const many = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`n${index}`, 'x']));
  expect((await patch({ metadata: many })).json()).toMatchObject({
    code: 'invalid_request',
    errors: [
      { path: '/body/metadata', message: 'must have at most 16 entries, and would have 17' },
    ],
  });
  expect((await patch({ metadata: {} }, '/v1/runs/none')).statusCode).toBe(404);
});

test('entries named __proto__ are refused with their path, and nested arguments of tools keep them', async () => {
  const { edge, service, start } = await open();
  const { id } = await start({ metadata: { constructor: 'a', toString: 'b' } });
  await service.settled(id);
  expect((await service.read.run(id))?.metadata).toEqual({ constructor: 'a', toString: 'b' });
  const named = (text: string): unknown => JSON.parse(text);
  for (const [method, path, body] of [
    ['POST', '/v1/runs', named('{"prompt":"go","metadata":{"__proto__":"x"}}')],
    ['POST', '/v1/threads', named('{"metadata":{"a":"b","__proto__":"x"}}')],
    ['PATCH', `/v1/runs/${id}`, named('{"metadata":{"__proto__":null}}')],
  ] as const)
    expect((await edge.request(method, path, { body })).json()).toMatchObject({
      status: 400,
      code: 'invalid_request',
      detail: '/body/metadata/__proto__: must have another name; __proto__ is not allowed',
    });
  expect((await edge.request('GET', '/v1/runs?metadata.__proto__=x')).json()).toMatchObject({
    status: 400,
    errors: [{ path: '/query/metadata/__proto__' }],
  });
  const refused = await edge.request('POST', '/v1/tools/r__read/call', {
    body: named('{"arguments":{"__proto__":{"a":1}}}'),
  });
  expect(refused.json()).toMatchObject({ errors: [{ path: '/body/arguments/__proto__' }] });
  const nested = named('{"arguments":{"value":{"__proto__":{"a":1}}}}');
  await edge.request('POST', '/v1/tools/r__read/call', {
    body: nested,
    headers: { prefer: 'wait=10' },
  });
  expect(JSON.stringify(service.registry.sent[0]?.arguments)).toBe(
    '{"value":{"__proto__":{"a":1}}}',
  );
});

test('a thread can be changed in part, is found by its metadata, and is updated when a run is added', async () => {
  const { service, edge, start } = await open();
  const thread = (
    await edge.request('POST', '/v1/threads', { body: { title: 'One', metadata: { user: 'ada' } } })
  ).json<Resource>();
  const path = `/v1/threads/${thread.id}`;
  expect(
    (await edge.request('PATCH', path, { body: { metadata: { tag: 'x' } } })).json(),
  ).toMatchObject({ title: 'One', metadata: { user: 'ada', tag: 'x' } });
  expect((await edge.request('PATCH', path, { body: { title: null } })).json()).not.toHaveProperty(
    'title',
  );
  expect(await idsOf(edge, '/v1/threads?metadata.user=ada')).toEqual([thread.id]);
  expect(await idsOf(edge, '/v1/threads?metadata.user=bob')).toEqual([]);

  service.clock.advance(5000);
  const run = await start({ thread_id: thread.id });
  const changed = (await edge.request('GET', path)).json<Resource>();
  expect(Date.parse(changed.updated_at) - Date.parse(thread.updated_at)).toBe(5000);
  await service.settled(run.id);
  const { data } = (await edge.request('GET', `${path}/messages`)).json<{
    readonly data: readonly { readonly created_at: string }[];
  }>();
  expect(data.map(({ created_at: at }) => Number.isNaN(Date.parse(at)))).toEqual([false, false]);
});

test('Prefer: wait returns the settled run, or the unsettled run after the wait', async () => {
  const { edge, service } = await open();
  const settled = await edge.request('POST', '/v1/runs', {
    body: { prompt: 'go' },
    headers: { prefer: 'wait=10' },
  });
  expect([settled.statusCode, settled.headers['preference-applied'], settled.json()]).toEqual([
    200,
    'wait=10',
    expect.objectContaining({ status: 'completed', answer: 'done' }),
  ]);

  const slow = await open(callsThenAnswer([[{ name: 'r__slow' }]], 'done'));
  const waiting = slow.edge.request('POST', '/v1/runs', {
    body: { prompt: 'go' },
    headers: { prefer: 'wait=2' },
  });
  await expect
    .poll(async () => (await slow.service.read.runs({ limit: 1 })).data[0]?.status)
    .toBe('running');
  slow.service.clock.advance(2000);
  expect((await waiting).statusCode).toBe(202);
  expect((await service.read.runs({ limit: 9 })).data).toHaveLength(1);
});

test.each(['61', '999999', '1000000', '9'.repeat(400)])(
  'Prefer: wait=%.20s waits for the maximum',
  async (seconds) => {
    const { edge } = await open();
    const response = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'go' },
      headers: { prefer: `wait=${seconds}` },
    });
    expect([response.statusCode, response.headers['preference-applied']]).toEqual([200, 'wait=60']);
  },
);

test('GET of a run with Prefer: wait returns the run when it is settled, or as it is after the wait', async () => {
  const slow = await open(callsThenAnswer([[{ name: 'r__slow' }]], 'done'));
  const { id } = await slow.start({});
  // Sends the request at once; without `async` it would be sent when its response is awaited.
  const get = async (headers: Record<string, string> = { prefer: 'wait=2' }) =>
    slow.edge.request('GET', `/v1/runs/${id}`, { headers });
  await expect.poll(() => slow.service.registry.sent.length).toBe(1);
  const { clock } = slow.service;
  /** Resolves with the response, after the clock has passed the wait. */
  const afterWait = async (headers?: Record<string, string>) => {
    const response = get(headers);
    await expect.poll(() => clock.waits).toContain(2000);
    clock.advance(2000);
    return response;
  };
  const response = await afterWait();
  expect([response.statusCode, response.headers['preference-applied'], response.json()]).toEqual([
    200,
    'wait=2',
    expect.objectContaining({ id, status: 'running' }),
  ]);
  expect((await afterWait({ prefer: 'wait=2', 'if-none-match': '*' })).statusCode).toBe(304);

  const settling = get();
  await slow.service.engine.cancelRun(id);
  await slow.service.settled(id);
  expect((await settling).json()).toMatchObject({ id, status: 'cancelled' });
  const settled = await get();
  expect(settled.headers).not.toHaveProperty('preference-applied');
  expect(settled.json()).toMatchObject({ id, status: 'cancelled' });
});

test('the response to a started call counts the events of its start', async () => {
  const { edge } = await open();
  const started = (
    await edge.request('POST', '/v1/tools/r__slow/call', { body: {} })
  ).json<Resource>();
  expect(started.last_seq).toBeGreaterThan(2);
});

test('a POST without a body needs no content type; a page of another origin is refused', async () => {
  const { edge, start } = await open(callsThenAnswer([[{ name: 'r__slow' }]], 'done'));
  const { id } = await start({});
  const cancel = (headers: { readonly [name: string]: string }) =>
    edge.app.inject({
      method: 'POST',
      url: `/v1/runs/${id}/cancel`,
      headers: { host: 'localhost', ...headers },
    });
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ])
    expect((await cancel(headers)).statusCode).toBe(403);
  expect(
    (await edge.request('GET', '/openapi.json', { headers: { 'sec-fetch-site': 'cross-site' } }))
      .statusCode,
  ).toBe(200);
  expect((await cancel({ 'content-type': 'text/plain' })).statusCode).toBe(415);
  expect((await cancel({})).json()).toMatchObject({
    id,
    status: expect.stringMatching(/^cancell/) as string,
  });
  const empty = await edge.app.inject({
    method: 'POST',
    url: '/v1/runs',
    headers: { host: 'localhost' },
  });
  expect([empty.statusCode, empty.json()]).toEqual([
    400,
    expect.objectContaining({ errors: [{ path: '/body/prompt', message: 'is required' }] }),
  ]);
});

test('an unsupported method is answered with 405 and the supported methods', async () => {
  const { edge } = await open();
  const response = await edge.request('PUT', '/v1/runs');
  expect([
    response.statusCode,
    response.headers['allow'],
    response.json<{ code: string }>().code,
  ]).toEqual([405, 'GET, HEAD, POST', 'method_not_allowed']);
  expect((await edge.request('PUT', '/v1/runs/some')).headers['allow']).toBe(
    'DELETE, GET, HEAD, PATCH',
  );
});

test.each<[string, object, string, string]>([
  ['/v1/runs', { promt: 'a' }, '/body', 'has no field "promt"; did you mean prompt?'],
  ['/v1/runs', {}, '/body/prompt', 'is required'],
  ['/v1/runs', { prompt: 7 }, '/body/prompt', 'must be text'],
  ['/v1/runs', { prompt: '' }, '/body/prompt', 'must have at least 1 character'],
  ['/v1/runs', { prompt: 'a', servers: [] }, '/body/servers', 'must have at least 1 item'],
  ['/v1/runs', { prompt: 'a', limits: { turns: 0 } }, '/body/limits/turns', 'must be at least 1'],
  [
    '/v1/runs',
    { prompt: 'a', limits: { turns: 1.5 } },
    '/body/limits/turns',
    'must be a whole number',
  ],
  [
    '/v1/runs',
    { prompt: 'a', thread_id: 't', on_busy: 'enqeue' },
    '/body/on_busy',
    'must be one of reject, enqueue, interrupt; did you mean enqueue?',
  ],
  ['/v1/runs?staus=a', { prompt: 'a' }, '/query', 'has no field "staus"'],
])('%s with %j is refused in plain words', async (path, body, place, message) => {
  const { edge } = await open();
  const response = await edge.request('POST', path, { body });
  expect([response.statusCode, response.json<{ errors: readonly object[] }>().errors]).toEqual([
    400,
    expect.arrayContaining([{ path: place, message }]),
  ]);
});

test('a status that does not exist is refused in plain words', async () => {
  const { edge } = await open();
  const response = await edge.request('GET', '/v1/runs?status=complete');
  expect(response.json()).toMatchObject({
    errors: [
      {
        path: '/query/status',
        message: expect.stringMatching(
          /^must be one of queued, .*; did you mean completed\?$/,
        ) as string,
      },
    ],
  });
});
