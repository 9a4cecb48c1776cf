import { expect, test } from 'vitest';
import { WriteLock } from './write-lock.ts';

test('writes run one at a time, client requests first, and other writes are not starved', async () => {
  const lock = new WriteLock();
  const order: string[] = [];
  let running = 0;
  const work = (name: string) => async (): Promise<void> => {
    running += 1;
    expect(running).toBe(1);
    await Promise.resolve();
    order.push(name);
    running -= 1;
  };
  const first = lock.run(work('first'));
  const jobs = ['job-1', 'job-2'].map((name) => lock.run(work(name)));
  const requests = Array.from({ length: 10 }, (_, index) =>
    lock.run(work(`request-${index}`), { urgent: true }),
  );
  await Promise.all([first, ...jobs, ...requests]);
  expect(order).toEqual([
    'first',
    ...Array.from({ length: 8 }, (_, index) => `request-${index}`),
    'job-1',
    'request-8',
    'request-9',
    'job-2',
  ]);
});

test('a failed write releases the lock', async () => {
  const lock = new WriteLock();
  await expect(lock.run(() => Promise.reject(new Error('full')))).rejects.toThrow('full');
  expect(await lock.run(() => Promise.resolve('done'))).toBe('done');
});

test('the event loop gets its turns while writes wait', async () => {
  const lock = new WriteLock();
  let turns = 0;
  const count = (): void => void ((turns += 1), (timer = setImmediate(count)));
  let timer = setImmediate(count);
  const busy = async (): Promise<void> => {
    for (const until = performance.now() + 6; performance.now() < until;) await Promise.resolve();
  };
  await Promise.all(Array.from({ length: 5 }, () => lock.run(busy)));
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(4);
});
