import type { Agent } from '@signalbox/client';
import { expect, test } from 'vitest';
import { definitionOf, definitionText, draftOf, EMPTY_AGENT, LIMIT_FIELDS } from './agent-draft.ts';

const AGENT: Agent = {
  id: 'a',
  version: 3,
  name: 'Analyst',
  instructions: 'Answer with numbers.\nBe brief.',
  model: 'openai/gpt-x',
  servers: ['sqlite', 'weather'],
  tools: { allow: ['sqlite__*', 'weather__*'], deny: ['sqlite__import_*'] },
  approvals: [
    { tools: 'sqlite__read_*', policy: 'auto' },
    { tools: 'sqlite__*', policy: 'ask' },
  ],
  temperature: 0,
  max_tokens: 4000,
  effort: 'high',
  tool_choice: 'required',
  limits: {
    turns: 3,
    tool_calls: 4,
    wall_clock_ms: 90_000,
    model_outage_ms: 1,
    call_inactivity_ms: 1500,
    call_max_ms: 60_000,
    inbox_expiry_ms: 5_400_000,
    tokens: 9,
    output_tokens: 8,
    cost_usd: 0.25,
  },
  created_at: '2026-11-28T09:00:00.000Z',
  updated_at: '2026-11-28T09:00:00.000Z',
};

test('every field of a stored agent comes back from its form unchanged', () => {
  const { id: _id, version: _version, ...rest } = AGENT;
  const { created_at: _created, updated_at: _updated, ...definition } = rest;
  expect(definitionOf(draftOf(AGENT))).toEqual(definition);
});

test('the form has every limit of the API', () => {
  expect(LIMIT_FIELDS.map(({ name }) => name).toSorted()).toEqual(
    Object.keys(AGENT.limits).toSorted(),
  );
});

test('empty fields are left out of the request', () => {
  expect(definitionOf({ ...EMPTY_AGENT, name: ' Analyst ', limits: { turns: '' } })).toEqual({
    name: 'Analyst',
  });
});

test('a value that the service must judge is sent as it is', () => {
  const draft = { ...EMPTY_AGENT, temperature: '3', limits: { turns: '0' } };
  expect(definitionOf(draft)).toEqual({ name: '', temperature: 3, limits: { turns: 0 } });
});

test('the text of a definition has a line for each field and for each line of the instructions', () => {
  const { limits: _limits, ...rest } = definitionOf(draftOf(AGENT));
  expect(definitionText({ ...rest, limits: { turns: 3, cost_usd: 0.5 } }).split('\n')).toEqual([
    'name: Analyst',
    'model: openai/gpt-x',
    'temperature: 0',
    'max_tokens: 4000',
    'effort: high',
    'tool_choice: required',
    'servers: sqlite, weather',
    'tools.allow: sqlite__*',
    'tools.allow: weather__*',
    'tools.deny: sqlite__import_*',
    'approvals: auto for sqlite__read_*',
    'approvals: ask for sqlite__*',
    'limits.cost_usd: 0.5',
    'limits.turns: 3',
    'instructions:',
    'Answer with numbers.',
    'Be brief.',
  ]);
});

test('rows of patterns and rules that were left empty are not sent', () => {
  const draft = {
    ...EMPTY_AGENT,
    name: 'Analyst',
    allow: [''],
    deny: [' sqlite__* ', ''],
    approvals: [{ tools: ' ', policy: 'ask' as const }],
  };
  expect(definitionOf(draft)).toEqual({ name: 'Analyst', tools: { deny: ['sqlite__*'] } });
});
