import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { REAPER_SHELL } from './reaper-shell.ts';
import { createReaper } from './reaper.ts';

const TESTING = join(import.meta.dirname, 'testing');
const owners: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const owner of owners.splice(0)) owner.kill('SIGKILL');
});

/** Starts a process with a pool of one server that ends only when killed. */
async function startOwner(
  poolOwner = '',
  { isShared = false } = {},
): Promise<{
  readonly owner: ChildProcessWithoutNullStreams;
  readonly children: readonly number[];
  readonly serverPid: number;
}> {
  const owner = spawn(
    process.execPath,
    [
      '--conditions=@signalbox/source',
      join(TESTING, 'pool-owner.ts'),
      join(TESTING, 'raw-server.ts'),
      'stubborn',
    ],
    { env: { ...process.env, POOL_OWNER: poolOwner, POOL_IS_SHARED: isShared ? 'yes' : 'no' } },
  );
  owners.push(owner);
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  const children = (await readFile(`/proc/${owner.pid}/task/${owner.pid}/children`, 'utf8'))
    .trim()
    .split(' ')
    .map(Number);
  return { owner, children, serverPid: Number(line.toString()) };
}

/** Starts a process group that ends only when killed. */
function startGroup(): ChildProcess & { readonly pid: number } {
  const group = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
  });
  // Spawned, so it has a pid.
  return group as ChildProcess & { readonly pid: number };
}

/** Returns whether the process runs. A zombie that is not reaped by process 1 counts as ended. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}

test.runIf(process.platform === 'linux')(
  'no process is left of a pool whose process was killed',
  async () => {
    const { owner, children, serverPid } = await startOwner();
    expect(children).toHaveLength(2);
    expect(children).toContain(serverPid);
    const exited = once(owner, 'exit');
    owner.kill('SIGKILL');
    await exited;
    await expect
      .poll(async () => Promise.all(children.map(isRunning)), { timeout: 10_000 })
      .toEqual([false, false]);
  },
);

test.runIf(process.platform === 'linux')(
  'processes of a pool that was killed with its helper are ended by the next start of the same owner only',
  async () => {
    const { owner, children, serverPid } = await startOwner('data-dir-a');
    const exited = once(owner, 'exit');
    // Stopped, so that it starts no other helper.
    owner.kill('SIGSTOP');
    for (const child of children) if (child !== serverPid) process.kill(child, 'SIGKILL');
    owner.kill('SIGKILL');
    await exited;
    expect(await createReaper({ graceMs: 50 }).endOrphans()).toBe(0);
    expect(await createReaper({ graceMs: 50, owner: 'data-dir-b' }).endOrphans()).toBe(0);
    expect(await isRunning(serverPid)).toBe(true);
    expect(await createReaper({ graceMs: 50, owner: 'data-dir-a' }).endOrphans()).toBe(1);
    expect(await isRunning(serverPid)).toBe(false);
  },
);

test.runIf(process.platform === 'linux')(
  'beside running pools of the same owner only processes of a pool that was killed with its helper are ended',
  async () => {
    const killed = await startOwner('data-dir-c', { isShared: true });
    const running = await startOwner('data-dir-c', { isShared: true });
    const exited = once(killed.owner, 'exit');
    killed.owner.kill('SIGSTOP');
    for (const child of killed.children)
      if (child !== killed.serverPid) process.kill(child, 'SIGKILL');
    const reaper = createReaper({ graceMs: 50, owner: 'data-dir-c' });
    expect(await reaper.endOrphans({ isShared: true })).toBe(0);
    killed.owner.kill('SIGKILL');
    await exited;
    expect(await reaper.endOrphans({ isShared: true })).toBe(1);
    expect(await isRunning(killed.serverPid)).toBe(false);
    expect(await isRunning(running.serverPid)).toBe(true);
  },
);

test.runIf(process.platform === 'linux')('no process is left of a closed pool', async () => {
  const { owner, children } = await startOwner();
  let output = '';
  owner.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(owner, 'exit');
  owner.stdin.write('close\n');
  expect(await exited).toEqual([0, null]);
  expect(output).toBe('closed\n');
  expect(await Promise.all(children.map(isRunning))).toEqual([false, false]);
});

test.runIf(process.platform !== 'win32')(
  'removed process groups survive the close of the reaper, the other groups are ended',
  async () => {
    const [kept, ended] = [startGroup(), startGroup()];
    const keptExit = once(kept, 'exit');
    const endedExit = once(ended, 'exit');
    const reaper = createReaper({ graceMs: 200 });
    reaper.add(kept.pid);
    reaper.add(ended.pid);
    reaper.remove(kept.pid);
    await reaper.close();
    expect(await endedExit).toEqual([null, 'SIGTERM']);
    expect(kept.exitCode ?? kept.signalCode).toBeNull();
    kept.kill('SIGKILL');
    await keptExit;
  },
);

test.runIf(process.platform === 'linux')(
  'the helper of a running pool takes less than 8 MB of memory',
  async () => {
    const { children, serverPid } = await startOwner();
    const [helper] = children.filter((child) => child !== serverPid);
    const status = await readFile(`/proc/${helper}/status`, 'utf8');
    expect(Number(/VmRSS:\s+(\d+) kB/u.exec(status)?.[1])).toBeLessThan(8 * 1024);
  },
);

test.runIf(process.platform !== 'win32')(
  'process groups are killed even if the program that ends them cannot be started',
  async () => {
    const [kept, ended] = [startGroup(), startGroup()];
    const [keptExit, endedExit] = [once(kept, 'exit'), once(ended, 'exit')];
    const shell = spawn('/bin/sh', ['-c', REAPER_SHELL, '/not/there'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    shell.stdin.end(`+${kept.pid}\n+${ended.pid}\n-${kept.pid}\n`);
    expect(await endedExit).toEqual([null, 'SIGKILL']);
    expect(kept.exitCode ?? kept.signalCode).toBeNull();
    kept.kill('SIGKILL');
    await keptExit;
  },
);
