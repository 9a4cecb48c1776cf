import { expect, test } from 'vitest';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY } from '../run/testing/fake-registry.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

const TOOLS = { a__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('42')) } };

test('a run of a single tool call has no model and no model limits', async () => {
  const service = await openService({ script: () => ({ text: 'done' }), tools: TOOLS });
  const edge = await createServiceEdge(service);
  const { run } = await service.engine.startCall({ wireName: 'a__read', arguments: {} });
  await service.settled(run.id);

  const body = (await edge.request('GET', `/v1/runs/${run.id}`)).json<{
    readonly limits: object;
  }>();
  expect(body).not.toHaveProperty('provider');
  expect(body).not.toHaveProperty('model');
  expect(Object.keys(body.limits)).toEqual([
    'wall_clock_ms',
    'call_inactivity_ms',
    'call_max_ms',
    'inbox_expiry_ms',
  ]);
  for (const { data } of (await service.events(run.id)).slice(0, 2)) {
    expect(data).not.toHaveProperty('provider');
    expect(data).not.toHaveProperty('model');
  }
});

test('a call of an unknown tool, or of a tool of the service, has no server', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'nope' }, { name: 'a__read' }]]),
    tools: TOOLS,
  });
  const edge = await createServiceEdge(service);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const { data } = (await edge.request('GET', `/v1/runs/${id}/tool-calls`)).json<{
    readonly data: readonly object[];
  }>();
  expect(data[0]).not.toHaveProperty('server');
  expect(data[1]).toMatchObject({ server: 'a' });
  expect((await service.event(id, 'tool_call.planned')).data).not.toHaveProperty('server');
});
