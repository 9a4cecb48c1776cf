import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, truncate } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { msUntilEnd, unprivilegedNode } from '@signalbox/server-kit/testing';
import { expect, test } from 'vitest';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** The first answer with this id. */
  answer(id: number): Promise<string>;
  readonly ended: Promise<Ended>;
}

function run(...args: string[]): Running {
  return runWith({}, ...args);
}

function runWith(env: { readonly [name: string]: string }, ...args: string[]): Running {
  return runBy([process.execPath], env, ...args);
}

function runBy(
  [command = '', ...options]: readonly string[],
  env: { readonly [name: string]: string },
  ...args: string[]
): Running {
  const main = path.join(import.meta.dirname, 'main.ts');
  const child = spawn(command, [...options, '--conditions=@signalbox/source', main, ...args], {
    env: { ...process.env, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    stdout,
    stderr,
  }));
  return {
    child,
    ended,
    async answer(id) {
      for (;;) {
        const found = stdout.split('\n').find((line) => line.includes(`"id":${id},`));
        if (found !== undefined) return found;
        await once(child.stdout, 'data');
      }
    },
  };
}

function send(running: Running, ...messages: object[]): void {
  for (const message of messages)
    running.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

const initialize = {
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

test('an unusable argument causes one line on stderr and exit code 1', async () => {
  const message =
    'signalbox-filesystem: /no/such/directory: no such directory (see signalbox-filesystem --help)\n';
  expect(await run('/no/such/directory').ended).toEqual({ code: 1, stdout: '', stderr: message });
});

test.each([
  [[''], 'an empty DIR was given'],
  [['--deny', '', '.'], 'an empty --deny was given'],
])('an empty value, such as of an unset variable, is refused: %j', async (args, problem) => {
  const { code, stderr } = await run(...args).ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
});

test('an MCP_STATE_KEY that is too short is refused without showing it', async () => {
  const { code, stderr } = await runWith({ MCP_STATE_KEY: 'short-secret' }, '.').ended;
  expect([code, stderr.includes('MCP_STATE_KEY'), stderr.includes('short-secret')]).toEqual([
    1,
    true,
    false,
  ]);
});

test('options can be set by the environment', async () => {
  await using folders = await createTemporaryFolders();
  const running = runWith({ MCP_FS_READ_ONLY: 'true', MCP_FS_WATCH: 'off' }, folders.root);
  send(
    running,
    initialize,
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  );
  expect(await running.answer(1)).not.toContain('subscribe');
  expect(await running.answer(2)).not.toContain('write_file');
  running.child.stdin.end();
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
  const problem = (await runWith({ MCP_FS_ROOTS: 'widen' }, folders.root).ended).stderr;
  expect(problem).toContain(
    '--roots must be one of narrow, replace, ignore, not "widen" (from MCP_FS_ROOTS)',
  );
});

test('serves, logs each call at debug level and exits within a second of the end of stdin', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': 'x' } });
  const running = run('--log-level', 'debug', folders.root);
  const call = {
    id: 2,
    method: 'tools/call',
    params: { name: 'read_text_file', arguments: { path: 'a.txt' } },
  };
  const subscribe = {
    id: 3,
    method: 'resources/subscribe',
    params: { uri: `file://${folders.root}/a.txt` },
  };
  send(running, initialize, { method: 'notifications/initialized' }, call, subscribe);
  expect(await running.answer(2)).toContain('"content":"x"');
  expect(await running.answer(3)).toContain('"result"');
  const ended = msUntilEnd(running.child);
  running.child.stdin.end();
  expect(await ended).toBeLessThan(1000);
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^\S+Z debug tool=read_text_file outcome=finished (?:scanned=1 )?ms=\d+\n$/,
  );
});

test('exits within a second of SIGTERM while a search runs', async () => {
  const running = run('/');
  const call = {
    id: 2,
    method: 'tools/call',
    params: {
      name: 'search_files',
      arguments: { path: '/', pattern: 'nothing-has-this-name' },
      _meta: { progressToken: 'p' },
    },
  };
  send(running, initialize, { method: 'notifications/initialized' }, call);
  await running.answer(1);
  await once(running.child.stdout, 'data');
  const ended = msUntilEnd(running.child);
  running.child.kill('SIGTERM');
  expect(await ended).toBeLessThan(1000);
});

test.each(['stdin', 'SIGTERM'] as const)(
  'exits within a second of %s while an edit computes, and other calls are answered meanwhile',
  async (end) => {
    // Every line differs from the one of the edit in its indentation only.
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': '    same line\n'.repeat(900_000) },
    });
    const running = run(folders.root);
    const edits = Array.from({ length: 50 }, () => ({
      oldText: `${'  same line\n'.repeat(20_000)}x`,
      newText: 'y',
    }));
    edits.unshift({ oldText: 'same', newText: 'Same', replaceAll: true } as never);
    const edit = {
      id: 2,
      method: 'tools/call',
      params: { name: 'edit_file', arguments: { path: 'a.txt', edits } },
    };
    send(running, initialize, { method: 'notifications/initialized' }, edit, {
      id: 3,
      method: 'ping',
    });
    expect(await running.answer(3)).toContain('"result"');
    const ended = msUntilEnd(running.child);
    if (end === 'stdin') running.child.stdin.end();
    else running.child.kill('SIGTERM');
    expect(await ended).toBeLessThan(1000);
    expect((await running.ended).code).toBe(0);
  },
);

test.each(['stdin', 'SIGTERM'] as const)(
  'removes its unfinished copy when %s ends it',
  async (end) => {
    await using folders = await createTemporaryFolders({ root: { 'big.bin': '' } });
    // As long as a copy of several seconds, without a byte on the disk before.
    await truncate(path.join(folders.root, 'big.bin'), 20 * 1024 ** 3);
    const running = run(folders.root);
    const copy = {
      id: 2,
      method: 'tools/call',
      params: { name: 'copy_file', arguments: { source: 'big.bin', destination: 'copy.bin' } },
    };
    send(running, initialize, { method: 'notifications/initialized' }, copy);
    await expect
      .poll(() => readdir(folders.root))
      .toContainEqual(expect.stringMatching(/^\.signalbox-.*\.tmp$/));
    if (end === 'stdin') running.child.stdin.end();
    else running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    expect(await readdir(folders.root)).toEqual(['big.bin']);
  },
);

test.runIf(process.platform === 'linux')(
  'calls wait while the host does not read their results, and all are answered when it reads',
  async () => {
    await using folders = await createTemporaryFolders({
      root: { 'big.txt': `${'x'.repeat(99)}\n`.repeat(2600) },
    });
    const main = path.join(import.meta.dirname, 'main.ts');
    const args = ['--conditions=@signalbox/source', main, '--log-level', 'debug', folders.root];
    const child = spawn(process.execPath, args);
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    const finished = () => log.split('tool=read_text_file outcome=finished').length - 1;
    const count = 200;
    const params = { name: 'read_text_file', arguments: { path: 'big.txt' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...initialize })}\n`);
    for (let id = 2; id < count + 2; id++)
      child.stdin.write(
        `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`,
      );
    // The process has run calls and sleeps now: it does not start more.
    let [last, same] = [0, 0];
    await expect
      .poll(async () => {
        const now = finished();
        const status = await readFile(`/proc/${child.pid}/status`, 'latin1');
        same = now === last && now > 0 && status.includes('(sleeping)') ? same + 1 : 0;
        last = now;
        return same;
      })
      .toBeGreaterThan(5);
    // Each result has half a MiB.
    expect(last).toBeLessThan(count / 2);
    const answered = new Set<number>();
    for await (const line of createInterface({ input: child.stdout })) {
      answered.add((JSON.parse(line) as { id: number }).id);
      if (answered.size === count + 1) break;
    }
    await expect.poll(finished).toBe(count);
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  },
);

const unprivileged = unprivilegedNode();

test.skipIf(unprivileged === undefined)(
  'search_content counts the files that it has no permission to open',
  async () => {
    await using folders = await createTemporaryFolders({ root: { a: 'x', b: 'x' } });
    await chmod(path.join(folders.root, 'b'), 0);
    const running = runBy(unprivileged ?? [], {}, folders.root);
    const search = { name: 'search_content', arguments: { path: '.', pattern: 'x' } };
    send(
      running,
      initialize,
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: search },
    );
    expect(JSON.parse(await running.answer(2))).toMatchObject({
      result: { structuredContent: { unreadable: 1, scanned: 1 } },
    });
    running.child.stdin.end();
    expect(await running.ended).toMatchObject({ code: 0 });
  },
);
