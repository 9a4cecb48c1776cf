import { describe, expect, test } from 'vitest';
import type { FuzzMode } from './testing/fuzz-executor.ts';
import { runFuzz } from './testing/run-fuzz.ts';
import { RUNAWAY } from './testing/runaway.ts';

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

describe('an endless statement', () => {
  const plan = { statements: 1, seed, mode: 'read', isReadOnly: true, only: RUNAWAY } as const;

  test('is stopped at its deadline', async () => {
    expect(await runFuzz(plan)).toMatchObject({ stopped: 1, problems: [] });
  });

  test('is reported when nothing stops it', async () => {
    const { problems } = await runFuzz({ ...plan, isUnlimited: true });
    expect(problems).toEqual([
      expect.stringContaining('no answer within the deadline of 300 ms and 2000 ms of grace'),
    ]);
  });
});

describe.each(['OUT', 'OUT/..'])('a file in %s', (folder) => {
  const only = `VACUUM INTO '${folder}/made.db'`;

  test('is not created by a reading statement', async () => {
    const outcome = await runFuzz({ statements: 1, seed, mode: 'read', isReadOnly: true, only });
    expect(outcome).toMatchObject({ run: 0, problems: [] });
  });

  test('is reported when a statement creates it', async () => {
    const plan = { statements: 1, seed, mode: 'read-unchecked', isReadOnly: true, only } as const;
    const { problems } = await runFuzz(plan);
    expect(problems).toEqual([expect.stringMatching(/^files changed .*made\.db/)]);
  });
});
