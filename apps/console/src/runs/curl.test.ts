import type { Run } from '@signalbox/client';
import { expect, test } from 'vitest';
import { curlCommand, newRunLike } from './curl.ts';

const run = {
  id: 'r',
  prompt: "What's new?",
  scripted: false,
  provider: 'openai',
  model: 'gpt',
  priority: 'normal',
  servers: ['sqlite'],
  metadata: {},
  limits: { turns: 7, cost_usd: 0.5 },
  status: 'completed',
} as unknown as Run;

test('the same run has the settings of the run and not its state', () => {
  expect(newRunLike(run)).toEqual({
    prompt: "What's new?",
    servers: ['sqlite'],
    model: 'openai/gpt',
    limits: { turns: 7, cost_usd: 0.5 },
  });
  expect(newRunLike({ ...run, scripted: true, priority: 'high' })).toEqual({
    prompt: "What's new?",
    servers: ['sqlite'],
    limits: { turns: 7, cost_usd: 0.5 },
    priority: 'high',
  });
});

test('the same run has the tools, the approval rules and the version of the agent of the run', () => {
  const rules = {
    tools: { deny: ['sqlite__write_query'] },
    approvals: [{ tools: '*', policy: 'ask' as const }],
    agent_id: 'a',
    agent_version: 2,
  };
  expect(newRunLike({ ...run, ...rules })).toMatchObject(rules);
});

test('a command quotes its words for the shell and takes the key from the environment', () => {
  expect(curlCommand('http://a/v1/runs', { prompt: "a'b $(c)" }, { needsKey: true })).toBe(
    String.raw`curl -s 'http://a/v1/runs' \
  -H "authorization: Bearer $SIGNALBOX_TOKEN" \
  -H 'content-type: application/json' \
  -d '{"prompt":"a'\''b $(c)"}'`,
  );
});
