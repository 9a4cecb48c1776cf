import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { FileLocks } from './file-locks.ts';
import { ProcessLocks } from './process-lock.ts';

const never = new AbortController().signal;
const key = (name: string) => `${name}-${process.pid}`;

test('two servers take turns, and a waiting call can be cancelled', async () => {
  const [first, second] = [new FileLocks(), new FileLocks()];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const holding = Promise.withResolvers<void>();
  const order: string[] = [];
  const held = first.run([key('x')], never, async () => {
    holding.resolve();
    await gate;
    order.push('first');
  });
  await holding.promise;
  const controller = new AbortController();
  const cancelled = second.run([key('x')], controller.signal, () =>
    Promise.resolve(order.push('cancelled')),
  );
  controller.abort(new Error('no longer wanted'));
  await expect(cancelled).rejects.toThrow('no longer wanted');
  const waiting = second.run([key('y'), key('x')], never, () =>
    Promise.resolve(order.push('second')),
  );
  open();
  await Promise.all([held, waiting]);
  expect(order).toEqual(['first', 'second']);
});

test('a lock that is held for too long is an error that names the file', async () => {
  const locks = new ProcessLocks({ timeoutMs: 0, tryLock: () => Promise.resolve(undefined) });
  await expect(locks.acquire('/a/b.txt', never)).rejects.toMatchObject({
    reason: 'io',
    message: expect.stringContaining('/a/b.txt') as string,
  });
});

test('a system that refuses such locks does not keep files from being written', async () => {
  const refused = Object.assign(new Error('listen EPERM'), { code: 'EPERM' });
  const locks = new FileLocks(new ProcessLocks({ tryLock: () => Promise.reject(refused) }));
  expect(await locks.run([key('z')], never, () => Promise.resolve('written'))).toBe('written');
});

test('the lock of a process that was killed is free', async () => {
  const source = pathToFileURL(path.join(import.meta.dirname, 'process-lock.ts')).href;
  const script = `
    import { ProcessLocks } from ${JSON.stringify(source)};
    await new ProcessLocks().acquire(${JSON.stringify(key('killed'))}, new AbortController().signal);
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(
    process.execPath,
    ['--conditions=@signalbox/source', '--input-type=module', '--eval', script],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(child.stdout, 'data');
  await expect(
    new ProcessLocks({ timeoutMs: 0 }).acquire(key('killed'), never),
  ).rejects.toMatchObject({ reason: 'io' });
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  const release = await new ProcessLocks().acquire(key('killed'), never);
  await release();
});
