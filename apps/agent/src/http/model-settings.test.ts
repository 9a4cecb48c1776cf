import { expect, test } from 'vitest';
import { cardWith } from '../ports/testing/model-card.ts';
import { openService, type Service } from '../run/testing/service.ts';
import { createServiceEdge, type ServiceEdge } from './testing/service-edge.ts';

async function openEdge(): Promise<{ service: Service; edge: ServiceEdge }> {
  const service = await openService({ script: () => ({ text: 'done' }) });
  service.llm.cards = [
    cardWith({ id: 'm', takes: { efforts: ['low'] } }),
    cardWith({ id: 'cold', takes: { temperature: false } }),
  ];
  return { service, edge: await createServiceEdge(service) };
}

const SETTINGS = { temperature: 0.5, max_tokens: 100, effort: 'low', tool_choice: 'none' };

test('settings of an agent apply to its runs, and null in a run removes one', async () => {
  const { service, edge } = await openEdge();
  const agent = await edge.request('POST', '/v1/agents', {
    body: { name: 'a', model: 'm', ...SETTINGS },
  });
  expect(agent.json()).toMatchObject({ model: 'm', ...SETTINGS });
  const { id: agentId } = agent.json<{ id: string }>();
  const run = await edge.request('POST', '/v1/runs', {
    body: { prompt: 'go', agent_id: agentId, temperature: 1, effort: null },
  });
  expect(run.statusCode).toBe(202);
  const body = run.json<{ id: string }>();
  expect(body).toMatchObject({ temperature: 1, max_tokens: 100, tool_choice: 'none' });
  expect(body).not.toHaveProperty('effort');
  await service.settled(body.id);
  const fork = await edge.request('POST', `/v1/runs/${body.id}/fork`, {
    body: { prompt: 'again', max_tokens: 50 },
  });
  expect(fork.json()).toMatchObject({ temperature: 1, max_tokens: 50, tool_choice: 'none' });
  await service.settled(fork.json<{ id: string }>().id);
  const replaced = await edge.request('PUT', `/v1/agents/${agentId}`, { body: { name: 'a' } });
  expect(replaced.json()).not.toHaveProperty('temperature');
});

test.each([
  [{ temperature: 2.1 }, '/body/temperature', 'invalid_request'],
  [{ temperature: '1' }, '/body/temperature', 'invalid_request'],
  [{ max_tokens: 0 }, '/body/max_tokens', 'invalid_request'],
  [{ effort: 'huge' }, '/body/effort', 'invalid_request'],
  [{ tool_choice: 'any' }, '/body/tool_choice', 'invalid_request'],
  [{ model: 'cold', temperature: 1 }, '/body/temperature', 'unsupported_setting'],
])('%j is refused at %s with %s', async (settings, path, code) => {
  const { edge } = await openEdge();
  for (const [url, body] of [
    ['/v1/runs', { prompt: 'go', model: 'm', ...settings }],
    ['/v1/agents', { name: 'a', model: 'm', ...settings }],
  ] as const) {
    const response = await edge.request('POST', url, { body });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code, errors: [{ path }] });
  }
});
