import { expect, test } from 'vitest';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge, type ServiceEdge } from './testing/service-edge.ts';

const KEYS = [
  { name: 'ada', token: 'of-ada' },
  { name: 'ci', token: 'of-ci' },
];
const ANY_TEXT: unknown = expect.any(String);
const as = (name: 'ada' | 'ci') => ({ authorization: `Bearer of-${name}` });

async function edgeWithAgent(): Promise<{
  readonly edge: ServiceEdge;
  readonly id: string;
  readonly path: string;
}> {
  const service = await openService({ script: () => ({ text: 'done' }) });
  const edge = await createServiceEdge(service, { keys: KEYS });
  const body = { name: 'a', instructions: 'First.', tools: { deny: ['w__*'] } };
  const posted = await edge.request('POST', '/v1/agents', { body, headers: as('ada') });
  const { id } = posted.json<{ id: string }>();
  expect(posted.json()).toMatchObject({ version: 1 });
  return { edge, id, path: `/v1/agents/${id}` };
}

async function get(edge: ServiceEdge, url: string): Promise<{ [name: string]: unknown }> {
  return (await edge.request('GET', url, { headers: as('ada') })).json();
}

test('each change of an agent makes a version with its definition, time and API key', async () => {
  const { edge, path } = await edgeWithAgent();
  const body = { name: 'a', instructions: 'Second.' };
  const put = await edge.request('PUT', path, { body, headers: as('ci') });
  expect(put.json()).toMatchObject({ version: 2, instructions: 'Second.' });
  const updated = put.json<{ updated_at: string }>().updated_at;
  expect(await get(edge, `${path}/versions`)).toEqual({
    data: [
      { version: 2, name: 'a', api_key: 'ci', created_at: updated },
      { version: 1, name: 'a', api_key: 'ada', created_at: ANY_TEXT },
    ],
  });
  expect(await get(edge, `${path}/versions/1`)).toEqual({
    version: 1,
    api_key: 'ada',
    created_at: ANY_TEXT,
    definition: { name: 'a', instructions: 'First.', tools: { deny: ['w__*'] }, limits: {} },
  });
});

test('the versions of an agent are listed in pages', async () => {
  const { edge, path } = await edgeWithAgent();
  for (const name of ['b', 'c'])
    await edge.request('PUT', path, { body: { name }, headers: as('ci') });
  const first = await get(edge, `${path}/versions?limit=2`);
  expect(first).toMatchObject({ data: [{ version: 3 }, { version: 2 }] });
  expect(await get(edge, `${path}/versions?cursor=${String(first['next_cursor'])}`)).toEqual({
    data: [expect.objectContaining({ version: 1, name: 'a' })],
  });
});

test('an earlier version is restored by a PUT of its definition', async () => {
  const { edge, path } = await edgeWithAgent();
  await edge.request('PUT', path, { body: { name: 'b' }, headers: as('ci') });
  const { definition } = await get(edge, `${path}/versions/1`);
  const restored = await edge.request('PUT', path, { body: definition, headers: as('ada') });
  expect(restored.json()).toMatchObject({ version: 3, name: 'a', instructions: 'First.' });
  expect(await get(edge, `${path}/versions/3`)).toMatchObject({ api_key: 'ada', definition });
});

test('a PUT of the current definition makes no version', async () => {
  const { edge, path } = await edgeWithAgent();
  const { definition } = await get(edge, `${path}/versions/1`);
  const before = await get(edge, path);
  const repeated = await edge.request('PUT', path, { body: definition, headers: as('ci') });
  expect([repeated.statusCode, repeated.json()]).toEqual([200, before]);
  expect(await get(edge, `${path}/versions`)).toMatchObject({ data: [{ version: 1 }] });
});

test('a run takes the version that it names, or else the current one', async () => {
  const { edge, id, path } = await edgeWithAgent();
  await edge.request('PUT', path, { body: { name: 'b' }, headers: as('ci') });
  const start = async (more: object = {}): Promise<unknown> => {
    const body = { prompt: 'go', agent_id: id, ...more };
    return (await edge.request('POST', '/v1/runs', { body, headers: as('ada') })).json();
  };
  const pinned = await start({ agent_version: 1 });
  expect(pinned).toMatchObject({
    agent_version: 1,
    instructions: 'First.',
    tools: { deny: ['w__*'] },
  });
  const current = await start();
  expect(current).toMatchObject({ agent_version: 2 });
  expect(current).not.toHaveProperty('instructions');
  expect(current).not.toHaveProperty('tools');
  expect(await start({ agent_version: 3 })).toMatchObject({
    code: 'unknown_agent_version',
    errors: [{ path: '/body/agent_version' }],
  });
});

test.each(['/v1/runs', '/v1/schedules'])(
  'POST %s refuses a version without an agent',
  async (path) => {
    const { edge } = await edgeWithAgent();
    const run = { prompt: 'go', agent_version: 1 };
    const body = path === '/v1/runs' ? run : { cron: '@daily', run };
    const refused = await edge.request('POST', path, { body, headers: as('ada') });
    expect(refused.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ message: 'is only about runs with an agent_id' }],
    });
  },
);

test('a pattern that can match no tool is refused with its path', async () => {
  const { edge } = await edgeWithAgent();
  const body = {
    name: 'a',
    tools: { deny: ['delete'] },
    approvals: [{ tools: '*', policy: 'no' }],
  };
  const refused = await edge.request('POST', '/v1/agents', { body, headers: as('ada') });
  expect(refused.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path)).toEqual([
    '/body/tools/deny/0',
    '/body/approvals/0/policy',
  ]);
});
