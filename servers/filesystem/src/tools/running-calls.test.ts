import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { RunningCalls } from './running-calls.ts';

const never = new AbortController().signal;

test('a limited number of calls runs at once and the others wait in order; a waiting call can be cancelled', async () => {
  const calls = new RunningCalls({ maxRunning: 1 });
  const order: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const first = calls.run([never], async () => {
    await gate;
    order.push('first');
  });
  const controller = new AbortController();
  const cancelled = calls.run([controller.signal], () => Promise.resolve(order.push('cancelled')));
  const second = calls.run([never], () => Promise.resolve(order.push('second')));
  controller.abort(new Error('no longer wanted'));
  await expect(cancelled).rejects.toThrow('no longer wanted');
  open();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
});

test('a call that waits for a person keeps no other from running', async () => {
  const calls = new RunningCalls({ maxRunning: 1 });
  const answer = Promise.withResolvers<string>();
  const asking = calls.run([never], () => calls.pausing(() => answer.promise));
  expect(await calls.run([never], () => Promise.resolve('other'))).toBe('other');
  answer.resolve('yes');
  expect(await asking).toBe('yes');
  expect(await calls.run([never], () => Promise.resolve('next'))).toBe('next');
});

test('no call begins while the host leaves answers unread', async () => {
  let read: () => void = () => undefined;
  const output = new Writable({ write: (_chunk, _encoding, done) => (read = done) });
  const calls = new RunningCalls({ output });
  output.write(Buffer.alloc(5 * 1024 * 1024));
  let hasBegun = false;
  const call = calls.run([never], () => Promise.resolve((hasBegun = true)));
  const controller = new AbortController();
  const cancelled = calls.run([controller.signal], () => Promise.resolve());
  controller.abort(new Error('no longer wanted'));
  await expect(cancelled).rejects.toThrow('no longer wanted');
  expect(hasBegun).toBe(false);
  read();
  expect(await call).toBe(true);
  output.destroy();
  expect(await calls.run([never], () => Promise.resolve('after the end'))).toBe('after the end');
});

test('calls that wait for the host share their listeners on the output', async () => {
  let read: () => void = () => undefined;
  const output = new Writable({ write: (_chunk, _encoding, done) => (read = done) });
  const calls = new RunningCalls({ output });
  output.write(Buffer.alloc(5 * 1024 * 1024));
  const before = output.listenerCount('close');
  const waiting = Array.from({ length: 12 }, () => calls.run([never], () => Promise.resolve()));
  await Promise.resolve();
  expect(output.listenerCount('close')).toBe(before + 1);
  read();
  await Promise.all(waiting);
  expect(output.listenerCount('close')).toBe(before);
});
