import { expect, test } from 'vitest';
import { ok } from '../run/testing/fake-registry.ts';
import { cardWith } from '../ports/testing/model-card.ts';
import { openService, type Service } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';
import { NewAgent } from './agent-schemas.ts';

const EVERY_FIELD = {
  name: 'reader',
  instructions: 'Be brief.',
  model: 'm-1',
  servers: ['r', 'w'],
  tools: { allow: ['r__*', 'w__write'], deny: ['*__delete'] },
  approvals: [{ tools: 'w__*', policy: 'ask' }],
  temperature: 0.5,
  max_tokens: 9,
  effort: 'low',
  tool_choice: 'required',
  limits: {
    turns: 1,
    tool_calls: 2,
    wall_clock_ms: 3,
    model_outage_ms: 10,
    call_inactivity_ms: 4,
    call_max_ms: 5,
    inbox_expiry_ms: 6,
    tokens: 7,
    output_tokens: 8,
    cost_usd: 0.5,
  },
};

const call = () => Promise.resolve(ok('read'));
const TOOLS = { r__read: { call }, w__write: { call } };

async function openServiceWithModel(): Promise<Service> {
  const service = await openService({ script: () => ({ text: 'done' }), tools: TOOLS });
  service.llm.cards = [cardWith({ id: 'm-1', takes: { efforts: ['low'] } })];
  return service;
}

test('every endpoint returns each field of a posted agent', async () => {
  const edge = await createServiceEdge(await openServiceWithModel());
  expect(Object.keys(EVERY_FIELD)).toEqual(Object.keys(NewAgent.shape));
  expect(Object.keys(EVERY_FIELD.limits)).toEqual(
    Object.keys(NewAgent.shape.limits.unwrap().shape),
  );

  const posted = await edge.request('POST', '/v1/agents', { body: EVERY_FIELD });
  expect([posted.statusCode, posted.json()]).toEqual([201, expect.objectContaining(EVERY_FIELD)]);
  const { id } = posted.json<{ id: string }>();
  expect((await edge.request('GET', `/v1/agents/${id}`)).json()).toMatchObject(EVERY_FIELD);
  expect((await edge.request('GET', '/v1/agents')).json()).toMatchObject({ data: [EVERY_FIELD] });
});

test('an agent that is read, changed in one field and put back keeps its limits', async () => {
  const edge = await createServiceEdge(await openServiceWithModel());
  const { id } = (await edge.request('POST', '/v1/agents', { body: EVERY_FIELD })).json<{
    id: string;
  }>();

  const read = (await edge.request('GET', `/v1/agents/${id}`)).json<
    typeof EVERY_FIELD & { id?: string; version?: number } & {
      created_at?: string;
      updated_at?: string;
    }
  >();
  const { id: _, version: __, created_at: ___, updated_at: ____, ...definition } = read;
  await edge.request('PUT', `/v1/agents/${id}`, {
    body: { ...definition, instructions: 'Be long.' },
  });

  expect((await edge.request('GET', `/v1/agents/${id}`)).json()).toMatchObject({
    ...EVERY_FIELD,
    instructions: 'Be long.',
  });
});

test('an agent with a server that is not configured is refused', async () => {
  const edge = await createServiceEdge(
    await openService({ script: () => ({ text: 'done' }), tools: { r__read: TOOLS.r__read } }),
  );
  const response = await edge.request('POST', '/v1/agents', {
    body: { name: 'reader', servers: ['r', 'nowhere'] },
  });
  expect([response.statusCode, response.json()]).toEqual([
    400,
    expect.objectContaining({
      code: 'unknown_server',
      errors: [{ path: '/body/servers/1', message: 'no MCP server is named "nowhere"' }],
    }),
  ]);
  expect((await edge.request('GET', '/v1/agents')).json()).toEqual({ data: [] });
});
