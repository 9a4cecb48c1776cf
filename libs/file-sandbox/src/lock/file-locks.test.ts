import { expect, test } from 'vitest';
import { FileLocks } from './file-locks.ts';

const never = new AbortController().signal;

test('callers with one key run in sequence, and callers with other keys do not wait', async () => {
  const locks = new FileLocks();
  const order: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const first = locks.run(['a'], never, async () => {
    order.push('first begins');
    await gate;
    order.push('first ends');
  });
  const second = locks.run(['a'], never, () => Promise.resolve(void order.push('second')));
  const third = locks.run(['a'], never, () => Promise.resolve(void order.push('third')));
  await locks.run(['b'], never, () => Promise.resolve(void order.push('other')));
  open();
  await Promise.all([first, second, third]);
  expect(order).toEqual(['first begins', 'other', 'first ends', 'second', 'third']);
  await expect.poll(() => locks.size).toBe(0);
});

test('a caller that stops waiting does not release the next one early', async () => {
  const locks = new FileLocks();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const body = async () => {
    running++;
    most = Math.max(most, running);
    await gate;
    running--;
  };
  const first = locks.run(['a'], never, body);
  const controller = new AbortController();
  const second = locks.run(['a'], controller.signal, body);
  controller.abort(new Error('cancelled'));
  await expect(second).rejects.toThrow('cancelled');
  const third = locks.run(['a'], never, body);
  open();
  await Promise.all([first, third]);
  expect(most).toBe(1);
});

test('a failure releases the key', async () => {
  const locks = new FileLocks();
  await expect(locks.run(['a'], never, () => Promise.reject(new Error('no')))).rejects.toThrow(
    'no',
  );
  expect(await locks.run(['a'], never, () => Promise.resolve('yes'))).toBe('yes');
});
