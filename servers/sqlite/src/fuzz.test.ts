import { expect, test } from 'vitest';
import type { FuzzMode } from './testing/fuzz-executor.ts';
import { runFuzz } from './testing/run-fuzz.ts';

const seed = 7;

test.each([
  ['read', true],
  // Without the protection of a read-only connection.
  ['read', false],
  ['write', false],
] as const)(
  'no random statement of the mode %s does harm (read-only connection: %s)',
  async (mode, isReadOnly) => {
    const outcome = await runFuzz({ statements: 700, seed, mode, isReadOnly });
    expect(outcome.problems).toEqual([]);
    expect(outcome.run).toBeGreaterThan(5);
  },
);

test.each<[FuzzMode, boolean]>([
  ['read-without-tokens', true],
  ['read-unchecked', true],
  ['read-unchecked', false],
])(
  'the same statements do harm in the mode %s (read-only connection: %s)',
  async (mode, isReadOnly) => {
    const outcome = await runFuzz({ statements: 700, seed, mode, isReadOnly });
    expect(outcome.problems).not.toEqual([]);
  },
);
