import { expect, test } from 'vitest';
import { apiKeyNamesOf, apiKeysOf, keyLimitsByName, keyLimitsOf } from './api-keys.ts';

test('keys have the tokens of their variables, after the key of SIGNALBOX_TOKEN', () => {
  const entries = { ci: { token_variable: 'CI_TOKEN' }, batch: { token_variable: 'BATCH_TOKEN' } };
  const env = { SIGNALBOX_TOKEN: 'one', CI_TOKEN: 'two', BATCH_TOKEN: 'three' };
  expect(apiKeysOf(entries, env)).toEqual([
    { name: 'default', token: 'one' },
    { name: 'ci', token: 'two' },
    { name: 'batch', token: 'three' },
  ]);
  expect(apiKeysOf(undefined, {})).toEqual([]);
});

test.each([
  [{ ci: { token_variable: 'CI_TOKEN' } }, 'CI_TOKEN is not set'],
  [{ default: { token_variable: 'X' } }, '"default" is the name of the key in SIGNALBOX_TOKEN'],
  [{ anonymous: { token_variable: 'X' } }, '"anonymous" is the name of requests without a key'],
  [{ ci: { token_variable: 'SIGNALBOX_TOKEN' } }, 'the same token as the key "default"'],
])('%j is refused', (entries, problem) => {
  const text = refusal(entries);
  expect(text).toContain(problem);
  expect(text).not.toContain('secret');
});

test('the names of keys are known without their tokens', () => {
  const entries = { ci: { token_variable: 'CI_TOKEN' } };
  expect(apiKeyNamesOf(entries)).toEqual(['anonymous', 'default', 'ci']);
  expect(apiKeyNamesOf()).toEqual(['anonymous', 'default']);
});

test('a limit of a key replaces that of all keys', () => {
  const limits = keyLimitsByName(
    keyLimitsOf({
      api_key_limits: { running_runs: 4, runs_per_minute: 60 },
      api_keys: { ci: { token_variable: 'X', running_runs: 10 }, batch: { token_variable: 'Y' } },
    }),
  );
  expect(limits?.('ci')).toEqual({ runningRuns: 10, runsPerMinute: 60 });
  for (const name of ['batch', 'anonymous', 'constructor'])
    expect(limits?.(name)).toEqual({ runningRuns: 4, runsPerMinute: 60 });
  expect(keyLimitsOf({ api_keys: { ci: { token_variable: 'X' } } })).toBeUndefined();
});

function refusal(entries: Parameters<typeof apiKeysOf>[0]): string {
  try {
    apiKeysOf(entries, { SIGNALBOX_TOKEN: 'secret', X: 'x' });
    return 'none';
  } catch (error) {
    return String(error);
  }
}
