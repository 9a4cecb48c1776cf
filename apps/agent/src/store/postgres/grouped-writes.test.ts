import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { StorageError } from '../../ports/store/errors.ts';
import type { RowLocks } from '../../ports/store.ts';
import { GroupedWrites, type Transactions } from './grouped-writes.ts';

const RUN: RowLocks = { run: 'r' };

/** Rows of a transaction: the names of the works that wrote to it. */
type Rows = string[];

/** Transactions in memory, and the works of each that was committed. */
function memoryTransactions(commit: () => Promise<void> = () => Promise.resolve()): {
  readonly transactions: Transactions<Rows>;
  readonly committed: Rows[];
} {
  const committed: Rows[] = [];
  const transact = async (work: (rows: Rows) => Promise<void>): Promise<void> => {
    const rows: Rows = [];
    await work(rows);
    await commit();
    committed.push(rows);
  };
  return {
    committed,
    transactions: {
      together: (works) =>
        transact(async (rows) => {
          for (const work of works) await work.run(rows);
        }).then(() => []),
      alone: (_locks, work) => transact(work),
    },
  };
}

function writes(name: string): (rows: Rows) => Promise<string> {
  return (rows) => {
    rows.push(name);
    return Promise.resolve(name);
  };
}

test('works of one turn of the event loop share a transaction', async () => {
  const { transactions, committed } = memoryTransactions();
  const grouped = new GroupedWrites(transactions);
  const results = await Promise.all([
    grouped.run(RUN, writes('a')),
    grouped.run(RUN, writes('b')),
    grouped.run(RUN, writes('c')),
  ]);
  expect(results).toEqual(['a', 'b', 'c']);
  expect(committed).toEqual([['a', 'b', 'c']]);
});

test('when a work fails, only that work is rejected, and the others are committed alone', async () => {
  const { transactions, committed } = memoryTransactions();
  const grouped = new GroupedWrites(transactions);
  const error = new Error('refused');
  const results = await Promise.allSettled([
    grouped.run(RUN, writes('a')),
    grouped.run(RUN, () => Promise.reject(error)),
    grouped.run(RUN, writes('b')),
  ]);
  expect(results).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: error },
    { status: 'fulfilled', value: 'b' },
  ]);
  expect(committed).toEqual([['a'], ['b']]);
});

test('works are not run again when it is unknown whether their commit was stored', async () => {
  const unknown = new StorageError('unreachable', 'the outcome is unknown');
  const { transactions } = memoryTransactions(() => Promise.reject(unknown));
  const grouped = new GroupedWrites(transactions);
  let executions = 0;
  const work = (): Promise<void> => {
    executions += 1;
    return Promise.resolve();
  };
  const results = await Promise.allSettled([grouped.run(RUN, work), grouped.run(RUN, work)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(executions).toBe(2);
});

test('works do not wait for the commit of works before them, and those after two transactions wait for one', async () => {
  const commits: (() => void)[] = [];
  const { transactions, committed } = memoryTransactions(
    () => new Promise((resolve) => void commits.push(resolve)),
  );
  const grouped = new GroupedWrites(transactions);
  const begun: string[] = [];
  const run = (name: string): Promise<void> =>
    grouped.run(RUN, (rows) => {
      begun.push(name);
      rows.push(name);
      return Promise.resolve();
    });
  const turn = async (): Promise<void> => {
    await nextTurn();
    await nextTurn();
  };
  const first = [run('a'), run('b')];
  await turn();
  const second = [run('c'), run('d')];
  await turn();
  const third = [run('e'), run('f')];
  await turn();
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  commits[0]?.();
  await Promise.all(first);
  await turn();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  for (const commit of commits) commit();
  await Promise.all([...second, ...third]);
  expect(committed).toEqual([
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'f'],
  ]);
});
