import { spawnSync } from 'node:child_process';
import { msUntilEnd } from '@signalbox/server-kit/testing';
import { describe, expect, test } from 'vitest';
import { eras } from '../stdio-peer.test.support.ts';
import { createFixture, program } from './fixture.test.support.ts';

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    input: '',
    encoding: 'utf8',
    timeout: 180_000,
  });
  return { status, stdout, stderr };
}

describe('the command', () => {
  test('FS-43 prints help and version and starts no server', () => {
    expect(run('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: signalbox-filesystem') as string,
      stderr: '',
    });
    expect(run('--version')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^signalbox-filesystem \d+\.\d+\.\d+\n$/) as string,
    });
  });

  test('FS-43 exits with an error that names the missing directory', async () => {
    await using files = await createFixture();
    const outcome = run(files.at('missing'));
    expect(outcome.status).not.toBe(0);
    expect(outcome.stderr).toContain(files.at('missing'));
  });

  test('FS-43 starts with one directory of two, and warns', async () => {
    await using files = await createFixture({ 'a.txt': 'x' });
    const peer = await files.serve('legacy', { args: [files.at('missing'), files.root] });
    expect((await peer.call('read_text_file', { path: 'a.txt' })).text).toBe('x');
    expect(peer.stderr).toContain(files.at('missing'));
  });
});

describe.each(eras)('a %s client', (era) => {
  test('FS-57 can send garbage, and further calls succeed', async () => {
    await using files = await createFixture();
    const peer = await files.serve(era);
    peer.child.stdin.write('not json\n\n{"jsonrpc":"2.0","id":null,"method":"tools/list"}\n');
    expect((await peer.request('tools/list')).error).toBeUndefined();
    expect(peer.badLines).toEqual([]);
  });

  test('FS-29 can send a line of 11 MB and a line over the limit, and further calls succeed', async () => {
    await using files = await createFixture();
    const peer = await files.serve(era);
    const written = await peer.call('write_file', {
      path: 'big.txt',
      content: 'x'.repeat(11 * 1024 * 1024),
    });
    expect(written.isError).toBe(false);
    peer.child.stdin.write(
      `{"jsonrpc":"2.0","id":"huge","method":"${'x'.repeat(65 * 1024 * 1024)}"}\n`,
    );
    expect((await peer.request('tools/list')).error).toBeUndefined();
  });

  test.each(['stdin', 'SIGTERM'] as const)(
    'ends the server with %s, a call under way or not',
    async (end) => {
      await using files = await createFixture({ 'a.txt': 'x' });
      const peer = await files.serve(era);
      await peer.call('read_text_file', { path: 'a.txt' });
      void peer.call('search_content', { path: '/', pattern: 'x' });
      const ended = msUntilEnd(peer.child);
      if (end === 'stdin') peer.child.stdin.end();
      else peer.child.kill('SIGTERM');
      expect(await ended).toBeLessThan(1000);
      expect(peer.child.exitCode).toBe(0);
    },
  );
});
