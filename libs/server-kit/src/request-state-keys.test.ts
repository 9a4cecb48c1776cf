import { describe, expect, test } from 'vitest';
import { requestStateKeys } from './request-state-keys.ts';

const current = 'c'.repeat(32);
const previous = 'p'.repeat(40);

describe('requestStateKeys', () => {
  test.each([[{}], [{ MCP_STATE_KEY: '' }], [{ MCP_STATE_KEY: ' ' }]])(
    'is undefined when none is set: %j',
    (env) => {
      expect(requestStateKeys(env)).toBeUndefined();
    },
  );

  test('gives the current key first', () => {
    expect(requestStateKeys({ MCP_STATE_KEY: `${current}, ${previous}` })).toEqual([
      current,
      previous,
    ]);
  });

  test.each(['short', `${current},`, `${current},short`])(
    'refuses a key that is too short without repeating it',
    (value) => {
      expect(() => requestStateKeys({ MCP_STATE_KEY: value })).toThrow(
        'each key in MCP_STATE_KEY must have at least 32 characters',
      );
    },
  );
});
