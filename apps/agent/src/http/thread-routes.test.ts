import { describe, expect, test } from 'vitest';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled } from '../run/testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../run/testing/service.ts';
import { createServiceEdge, type ServiceEdge } from './testing/service-edge.ts';

interface Opened {
  readonly service: Service;
  readonly edge: ServiceEdge;
  /** Status and body. */
  readonly send: (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: unknown,
  ) => Promise<{ readonly status: number; readonly body: unknown }>;
  /** Creates a resource and returns its id. */
  readonly create: (url: string, body: unknown) => Promise<string>;
}

async function open(options: Partial<ServiceOptions> = {}): Promise<Opened> {
  const service = await openService({
    script: ({ messages }) => ({ text: `received ${messages.length}` }),
    tools: {
      r__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('42')) },
      r__slow: { annotations: READ_ONLY, call: untilCancelled() },
    },
    ...options,
  });
  const edge = await createServiceEdge(service);
  const send: Opened['send'] = async (method, url, body) => {
    const response = await edge.request(method, url, { body });
    return {
      status: response.statusCode,
      body: response.body === '' ? undefined : response.json(),
    };
  };
  return {
    service,
    edge,
    send,
    create: async (url, body) =>
      (await edge.request('POST', url, { body })).json<{ id: string }>().id,
  };
}

/** Returns the role, the turn and the text of each message of a list, over all pages. */
async function pagesOf(send: Opened['send'], url: string): Promise<readonly string[]> {
  const texts: string[] = [];
  let cursor = '';
  for (let page = 0; page < 9; page += 1) {
    const { body } = await send('GET', `${url}${cursor}`);
    const { data, next_cursor: next } = body as {
      data: { role: string; turn: number; content: { text: string }[] }[];
      next_cursor?: string;
    };
    texts.push(...data.map(({ role, turn, content }) => `${role} ${turn} ${content[0]!.text}`));
    if (next === undefined) return texts;
    cursor = `&cursor=${next}`;
  }
  throw new Error(`${url} has more than nine pages`);
}

describe('threads', () => {
  test('are created, listed, read, replaced and erased', async () => {
    const { send, create } = await open();
    const first = await create('/v1/threads', { title: ' Orders ', metadata: { team: 'a' } });
    const second = await create('/v1/threads', {});
    expect(await send('GET', `/v1/threads/${first}`)).toMatchObject({
      status: 200,
      body: {
        id: first,
        title: 'Orders',
        metadata: { team: 'a' },
        created_at: '2023-11-14T22:13:20.000Z',
      },
    });
    expect((await send('GET', '/v1/threads')).body).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ id: first }),
        expect.objectContaining({ id: second, metadata: {} }),
      ]) as unknown,
    });
    expect(await send('PUT', `/v1/threads/${first}`, {})).toEqual({
      status: 200,
      body: {
        id: first,
        metadata: {},
        created_at: '2023-11-14T22:13:20.000Z',
        updated_at: '2023-11-14T22:13:20.000Z',
      },
    });
    expect((await send('DELETE', `/v1/threads/${first}`)).status).toBe(204);
    expect((await send('GET', `/v1/threads/${first}`)).status).toBe(404);
  });

  test('have the messages of their runs, in pages', async () => {
    const { service, send, create } = await open();
    const id = await create('/v1/threads', {});
    for (const prompt of ['one', 'two'])
      await service.settled(await create('/v1/runs', { prompt, thread_id: id }));
    const texts = await pagesOf(send, `/v1/threads/${id}/messages?limit=3`);
    expect(texts).toEqual([
      'user 0 one',
      'assistant 1 received 1',
      'user 0 two',
      'assistant 1 received 3',
    ]);
    const { data } = (await send('GET', `/v1/runs?thread_id=${id}`)).body as {
      readonly data: readonly { readonly id: string }[];
    };
    for (const limit of [1, 2, 9])
      expect(await pagesOf(send, `/v1/runs/${data[0]!.id}/messages?limit=${limit}`)).toEqual([
        'user 0 two',
        'assistant 1 received 3',
      ]);
  });

  test('refuse a run while another run is not settled, unless it is enqueued or interrupts', async () => {
    const { service, send, create } = await open({
      script: callsThenAnswer([[{ name: 'r__slow' }]]),
    });
    const thread = await create('/v1/threads', {});
    const first = await create('/v1/runs', { prompt: 'one', thread_id: thread });
    await service.event(first, 'tool_call.dispatched');
    expect(await send('POST', '/v1/runs', { prompt: 'two', thread_id: thread })).toMatchObject({
      status: 409,
      body: { code: 'thread_busy' },
    });
    expect(await send('POST', '/v1/runs', { prompt: 'two', thread_id: 'none' })).toMatchObject({
      status: 400,
      body: { code: 'unknown_thread' },
    });
    expect(await send('POST', '/v1/runs', { prompt: 'two', on_busy: 'enqueue' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ path: '/body/on_busy' }] },
    });
    const waiting = await create('/v1/runs', {
      prompt: 'two',
      thread_id: thread,
      on_busy: 'enqueue',
    });
    const third = await create('/v1/runs', {
      prompt: 'three',
      thread_id: thread,
      on_busy: 'interrupt',
    });
    expect((await service.settled(third)).status).toBe('completed');
    expect((await send('GET', `/v1/runs?thread_id=${thread}&status=cancelled`)).body).toMatchObject(
      {
        data: expect.arrayContaining([
          expect.objectContaining({ id: first, status_reason: 'superseded' }),
          expect.objectContaining({ id: waiting }),
        ]) as unknown,
      },
    );
  });
});

describe('agents', () => {
  test('are stored, listed, replaced and deleted', async () => {
    const { send, create } = await open();
    const definition = {
      name: 'reader',
      instructions: 'Read first.',
      model: 'large',
      servers: ['r'],
      limits: { turns: 3, call_max_ms: 5000 },
    };
    const id = await create('/v1/agents', definition);
    expect(await send('GET', `/v1/agents/${id}`)).toMatchObject({
      status: 200,
      body: { id, ...definition },
    });
    expect(await send('PUT', `/v1/agents/${id}`, { name: 'writer' })).toEqual({
      status: 200,
      body: {
        id,
        version: 2,
        name: 'writer',
        limits: {},
        created_at: '2023-11-14T22:13:20.000Z',
        updated_at: '2023-11-14T22:13:20.000Z',
      },
    });
    expect((await send('GET', '/v1/agents')).body).toMatchObject({
      data: [{ id, name: 'writer' }],
    });
    expect((await send('DELETE', `/v1/agents/${id}`)).status).toBe(204);
    expect((await send('DELETE', `/v1/agents/${id}`)).status).toBe(404);
  });

  test('set the fields of runs, and runs are listed by agent', async () => {
    const { service, send, create } = await open();
    const agent = await create('/v1/agents', {
      name: 'reader',
      instructions: 'Read first.',
      limits: { turns: 3 },
    });
    const id = await create('/v1/runs', {
      prompt: 'go',
      agent_id: agent,
      limits: { tool_calls: 2 },
      metadata: { by: 'me' },
    });
    await create('/v1/runs', { prompt: 'other' });
    await service.settled(id);
    expect((await send('GET', `/v1/runs?agent_id=${agent}`)).body).toMatchObject({
      data: [
        {
          id,
          kind: 'agent',
          agent_id: agent,
          instructions: 'Read first.',
          metadata: { by: 'me' },
          limits: { turns: 3, tool_calls: 2, inbox_expiry_ms: 86_400_000 },
        },
      ],
    });
    expect(await send('POST', '/v1/runs', { prompt: 'go', agent_id: 'none' })).toMatchObject({
      status: 400,
      body: { code: 'unknown_agent' },
    });
  });
});

describe('runs', () => {
  test('are forked with their location, and erased when they are settled', async () => {
    const { service, edge, send, create } = await open();
    const id = await create('/v1/runs', { prompt: 'one' });
    await service.settled(id);
    const fork = await edge.request('POST', `/v1/runs/${id}/fork`, { body: { prompt: 'two' } });
    const forked = fork.json<{ id: string }>().id;
    expect([fork.statusCode, fork.headers.location, fork.json()]).toEqual([
      202,
      `/v1/runs/${forked}`,
      expect.objectContaining({ prompt: 'two', forked_from: { run_id: id, turn: 1 } }),
    ]);
    expect(await service.settled(forked)).toMatchObject({ answer: 'received 3' });
    expect(await send('POST', `/v1/runs/${id}/fork`, {})).toMatchObject({
      status: 409,
      body: { code: 'invalid_fork' },
    });
    expect((await send('DELETE', `/v1/runs/${id}`)).status).toBe(204);
    expect((await send('GET', `/v1/runs/${id}`)).status).toBe(404);
    expect((await send('GET', `/v1/runs/${forked}`)).status).toBe(200);
  });

  test.each<[string, object]>([
    [
      'too many entries',
      Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v'])),
    ],
    ['a name that is too long', { ['k'.repeat(65)]: 'v' }],
    ['a value that is too long', { k: 'v'.repeat(513) }],
    ['a value that is no text', { k: 1 }],
  ])('take no metadata with %s', async (_name, metadata) => {
    const { send } = await open();
    expect(await send('POST', '/v1/runs', { prompt: 'go', metadata })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  test('have tool calls that are read and cancelled one by one', async () => {
    const { service, send, create } = await open({
      script: callsThenAnswer([[{ name: 'r__slow' }]]),
    });
    const id = await create('/v1/runs', { prompt: 'go' });
    await service.until(async () => (service.registry.sent.length === 1 ? true : undefined));
    const call = await service.call(id);
    expect(await send('GET', `/v1/runs/${id}/tool-calls/${call.id}`)).toMatchObject({
      status: 200,
      body: { id: call.id, state: 'dispatched' },
    });
    expect((await send('POST', `/v1/runs/${id}/tool-calls/${call.id}/cancel`)).status).toBe(200);
    expect((await service.settled(id)).status).toBe('completed');
    expect((await send('GET', `/v1/runs/${id}/tool-calls/${call.id}`)).body).toMatchObject({
      state: 'cancelled',
      cancel: 'delivered',
    });
  });
});
