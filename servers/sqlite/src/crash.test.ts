import { expect, test } from 'vitest';
import { runCrashes } from './testing/run-crashes.ts';

const seed = 20_261_123;

test.each(['DELETE', 'WAL'] as const)(
  'a database with journal mode %s is whole after its writer was killed, and has what was reported',
  async (journalMode) => {
    const outcome = await runCrashes({ kills: 4, seed, journalMode, isGuarded: true });
    expect(outcome.problems).toEqual([]);
    expect(outcome.notApplied + outcome.unknown).toBe(4);
  },
);

test('the same kills damage a database without a journal', async () => {
  const plan = { kills: 20, seed, journalMode: 'DELETE', isGuarded: false } as const;
  expect((await runCrashes(plan)).problems).not.toEqual([]);
});
