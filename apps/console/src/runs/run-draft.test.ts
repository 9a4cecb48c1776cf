import { expect, test } from 'vitest';
import { EMPTY_DRAFT, newRunOf } from './run-draft.ts';

test('empty fields are left out of the request', () => {
  expect(newRunOf({ ...EMPTY_DRAFT, prompt: 'go', instructions: ' ', turns: '0' })).toEqual({
    prompt: 'go',
  });
});

test('limits and metadata have the units and the form of the API', () => {
  const draft = {
    ...EMPTY_DRAFT,
    prompt: 'go',
    servers: ['sqlite'],
    priority: 'high',
    turns: '5',
    costUsd: '0.5',
    minutes: '2',
    metadata: 'team = support\n\nnonsense\nticket=A=1',
  };
  expect(newRunOf(draft)).toEqual({
    prompt: 'go',
    servers: ['sqlite'],
    priority: 'high',
    limits: { turns: 5, cost_usd: 0.5, wall_clock_ms: 120_000 },
    metadata: { team: 'support', ticket: 'A=1' },
  });
});

test('a version is sent with its agent only', () => {
  const draft = { ...EMPTY_DRAFT, prompt: 'go', agentVersion: '2' };
  expect(newRunOf({ ...draft, agentId: 'a' })).toEqual({
    prompt: 'go',
    agent_id: 'a',
    agent_version: 2,
  });
  expect(newRunOf(draft)).toEqual({ prompt: 'go' });
});
