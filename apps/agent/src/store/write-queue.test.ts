import { expect, test } from 'vitest';
import { WriteQueue } from './write-queue.ts';

/** A queue whose transactions keep the names of the writes that they commit. */
function recorded(commit: (names: readonly string[]) => void = () => undefined) {
  const committed: string[][] = [];
  let names: string[] = [];
  let running = 0;
  const queue = new WriteQueue(async (work) => {
    names = [];
    await work();
    commit(names);
    committed.push(names);
  });
  const write =
    (name: string, fail = () => false) =>
    async (): Promise<string> => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
      if (fail()) throw new Error(`${name} failed`);
      names.push(name);
      return name;
    };
  return { queue, committed, write };
}

test('writes run one at a time, client requests first, and other writes are not starved', async () => {
  const { queue, committed, write } = recorded();
  const jobs = ['job-1', 'job-2'].map((name) => queue.run(write(name)));
  const requests = Array.from({ length: 10 }, (_, index) =>
    queue.run(write(`request-${index}`), { urgent: true }),
  );
  await Promise.all([...jobs, ...requests]);
  expect(committed.flat()).toEqual([
    ...Array.from({ length: 8 }, (_, index) => `request-${index}`),
    'job-1',
    'request-8',
    'request-9',
    'job-2',
  ]);
});

test('writes of one turn of the event loop share a transaction, and resolve after its commit', async () => {
  const { queue, committed, write } = recorded();
  const resolved = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const result = await queue.run(write(name));
      return [result, committed.length];
    }),
  );
  expect(resolved).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ]);
  await queue.run(write('d'));
  expect(committed).toEqual([['a', 'b', 'c'], ['d']]);
});

test('a write that fails alone rejects, and the next one runs', async () => {
  const { queue, committed, write } = recorded();
  await expect(queue.run(write('a', () => true))).rejects.toThrow('a failed');
  expect(await queue.run(write('b'))).toBe('b');
  expect(committed).toEqual([['b']]);
});

test('of writes that share a transaction, one that fails is rejected, and each of the others is committed once', async () => {
  const { queue, committed, write } = recorded();
  const ended = await Promise.allSettled([
    queue.run(write('a')),
    queue.run(write('b', () => true)),
    queue.run(write('c')),
  ]);
  expect(ended).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: new Error('b failed') },
    { status: 'fulfilled', value: 'c' },
  ]);
  expect(committed.flat().toSorted()).toEqual(['a', 'c']);
});

test('writes whose common commit fails are committed one by one', async () => {
  const { queue, committed, write } = recorded((names) => {
    if (names.includes('b')) throw new Error('disk full');
  });
  const ended = await Promise.allSettled(['a', 'b', 'c'].map((name) => queue.run(write(name))));
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(committed).toEqual([['a'], ['c']]);
});

test('the event loop gets its turns while writes wait', async () => {
  const { queue, committed, write } = recorded();
  let turns = 0;
  const count = (): void => void ((turns += 1), (timer = setImmediate(count)));
  let timer = setImmediate(count);
  const busy = (name: string) => async (): Promise<void> => {
    for (const until = performance.now() + 6; performance.now() < until;) await Promise.resolve();
    await write(name)();
  };
  const names = ['a', 'b', 'c', 'd', 'e'];
  await Promise.all(names.map((name) => queue.run(busy(name))));
  clearImmediate(timer);
  expect(committed).toEqual(names.map((name) => [name]));
  expect(turns).toBeGreaterThanOrEqual(4);
});
