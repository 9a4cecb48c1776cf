import { expect, test } from 'vitest';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

async function open() {
  const service = await openService({ script: callsThenAnswer([], 'done') });
  const edge = await createServiceEdge(service);
  const created = async (path: string, body: object): Promise<string> => {
    const { id } = (await edge.request('POST', path, { body })).json<{ readonly id: string }>();
    return `${path}/${id}`;
  };
  const run = await created('/v1/runs', { prompt: 'go' });
  await service.settled(run.slice('/v1/runs/'.length));
  return { service, edge, created, run };
}

const BODIES = {
  run: { metadata: { seen: 'yes' } },
  thread: { title: 'Two' },
  agent: { name: 'Two' },
};

test.each(['run', 'thread', 'agent'] as const)(
  'a %s has an ETag: an unchanged one is not sent again, and a change or deletion of an older state is refused',
  async (kind) => {
    const { edge, created, run } = await open();
    const path =
      kind === 'run'
        ? run
        : await created(`/v1/${kind}s`, kind === 'thread' ? { title: 'One' } : { name: 'One' });
    const send = (method: 'GET' | 'PUT' | 'PATCH' | 'DELETE', headers: object) =>
      edge.request(method, path, {
        headers: { ...headers },
        ...(method === 'PUT' || method === 'PATCH' ? { body: BODIES[kind] } : {}),
      });
    const first = await send('GET', {});
    const etag = String(first.headers['etag']);
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const known = await send('GET', { 'if-none-match': `"other", W/${etag}` });
    expect([known.statusCode, known.body, known.headers['etag']]).toEqual([304, '', etag]);
    expect((await send('GET', { 'if-none-match': '"other"' })).statusCode).toBe(200);

    const method = kind === 'agent' ? 'PUT' : 'PATCH';
    const changed = await send(method, { 'if-match': `"other", ${etag}` });
    expect([changed.statusCode, changed.headers['etag']]).toEqual([
      200,
      (await send('GET', {})).headers['etag'],
    ]);
    expect(changed.headers['etag']).not.toBe(etag);
    const before = (await send('GET', {})).body;
    for (const other of [method, 'DELETE'] as const) {
      const refused = await send(other, { 'if-match': etag });
      expect(refused.json()).toMatchObject({ status: 412, code: 'precondition_failed' });
    }
    expect((await send(method, { 'if-match': `W/${etag}` })).statusCode).toBe(412);
    expect((await send('GET', {})).body).toBe(before);
    expect((await send(method, { 'if-match': '*' })).statusCode).toBe(200);
    const last = String((await send('GET', {})).headers['etag']);
    expect((await send('DELETE', { 'if-match': last })).statusCode).toBe(204);
  },
);

test('of two changes of the same state of an agent at once, one is done', async () => {
  const { edge, created } = await open();
  const path = await created('/v1/agents', { name: 'One' });
  const { etag } = (await edge.request('GET', path)).headers;
  const changes = await Promise.all(
    ['a', 'b'].map((name) =>
      edge.request('PUT', path, { body: { name }, headers: { 'if-match': String(etag) } }),
    ),
  );
  expect(new Set(changes.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 412]));
});

test('a run has another ETag after each event', async () => {
  const answer = Promise.withResolvers<void>();
  const service = await openService({ script: () => ({ text: 'done', hold: answer.promise }) });
  const edge = await createServiceEdge(service);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.event(id, 'turn.started');
  const before = await edge.request('GET', `/v1/runs/${id}`);
  answer.resolve();
  await service.settled(id);
  const after = await edge.request('GET', `/v1/runs/${id}`, {
    headers: { 'if-none-match': String(before.headers['etag']) },
  });
  expect(after.json()).toMatchObject({ status: 'completed' });
});
