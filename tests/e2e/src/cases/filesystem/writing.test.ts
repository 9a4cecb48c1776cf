import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eras } from '../stdio-peer.test.support.ts';
import { shareServers } from './fixture.test.support.ts';

const prepare = shareServers();

describe.each(eras)('a %s client', (era) => {
  test('FS-04 cannot reach a sibling whose name begins alike', async () => {
    await using files = await prepare();
    mkdirSync(`${files.root}-evil`);
    writeFileSync(`${files.root}-evil/s.txt`, 'PREFIX');
    const peer = await files.serve(era);
    const read = await peer.call('read_text_file', { path: `${files.root}-evil/s.txt` });
    const write = await peer.call('write_file', { path: `${files.root}-evil/w.txt`, content: 'x' });
    expect([read.isError, write.isError]).toEqual([true, true]);
    expect(JSON.stringify(read)).not.toContain('PREFIX');
    expect(readdirSync(`${files.root}-evil`)).toEqual(['s.txt']);
  });

  test('FS-05 cannot leave by symbolic links with any tool', async () => {
    await using files = await prepare({ mine: 'm' }, { 'secret.txt': 'TOPSECRET' });
    symlinkSync(`${files.outside}/secret.txt`, files.at('l'));
    symlinkSync(files.outside, files.at('d'));
    const peer = await files.serve(era);
    const calls = [
      ['read_text_file', { path: 'l' }],
      ['read_text_file', { path: 'd/secret.txt' }],
      ['read_media_file', { path: 'l' }],
      ['list_directory', { path: 'd' }],
      ['list_directory_with_sizes', { path: 'd' }],
      ['directory_tree', { path: 'd' }],
      ['search_files', { path: 'd', pattern: '*' }],
      ['search_content', { path: 'd', pattern: 'TOP' }],
      ['get_file_info', { path: 'l' }],
      ['write_file', { path: 'd/new.txt', content: 'x' }],
      ['write_file', { path: 'l', content: 'x' }],
      ['append_file', { path: 'l', content: 'x' }],
      ['edit_file', { path: 'l', edits: [{ oldText: 'TOP', newText: 'x' }] }],
      ['create_directory', { path: 'd/a/b' }],
      ['move_file', { source: 'd/secret.txt', destination: 'stolen' }],
      ['move_file', { source: 'mine', destination: 'd/mine' }],
      ['copy_file', { source: 'd/secret.txt', destination: 'stolen' }],
      ['copy_file', { source: 'mine', destination: 'd/mine' }],
      ['delete_file', { path: 'd/secret.txt' }],
    ] as const;
    for (const [tool, args] of calls) {
      const outcome = await peer.call(tool, args);
      expect({
        tool,
        args,
        isError: outcome.isError,
        leaks: JSON.stringify(outcome).includes('TOPSECRET'),
      }).toEqual({ tool, args, isError: true, leaks: false });
    }
    expect(readdirSync(files.outside)).toEqual(['secret.txt']);
    expect(readFileSync(`${files.outside}/secret.txt`, 'utf8')).toBe('TOPSECRET');
  });

  test.runIf(process.platform !== 'win32')('FS-09 cannot trick it with paths', async () => {
    await using files = await prepare({ 'a.txt': 'x' });
    const peer = await files.serve(era);
    const outcomes = [
      await peer.call('read_text_file', { path: `${files.root}/a.txt\u0000.png` }),
      await peer.call('read_text_file', { path: `${files.root}/%2e%2e/outside/secret.txt` }),
      await peer.call('write_file', { path: String.raw`C:\Users\x.txt`, content: 'x' }),
      await peer.call('write_file', { path: String.raw`sub\..\..\x.txt`, content: 'x' }),
      await peer.call('read_text_file', { path: '' }),
    ];
    expect(outcomes.map(({ isError }) => isError)).toEqual([true, true, true, true, true]);
    expect(readdirSync(files.root)).toEqual(['a.txt']);
  });

  test('FS-14 edits a file that is not UTF-8 without changing its other bytes', async () => {
    await using files = await prepare({ 'l.txt': Buffer.from('Y2Fm6Qo=', 'base64') });
    const peer = await files.serve(era);
    expect(
      (await peer.call('edit_file', { path: 'l.txt', edits: [{ oldText: 'caf', newText: 'CAF' }] }))
        .isError,
    ).toBe(false);
    expect(readFileSync(files.at('l.txt')).toString('hex')).toBe('434146e90a');
  });

  test.each([
    ['an empty oldText', [{ oldText: '', newText: 'INS' }]],
    ['an edit that changes nothing', [{ oldText: 'line1', newText: 'line1' }]],
    ['no edits', []],
    ['an oldText that occurs twice', [{ oldText: 'line', newText: 'x' }]],
  ])('FS-18 is refused %s', async (_what, edits) => {
    await using files = await prepare({ 'a.txt': 'line1\nline2\n' });
    const before = statSync(files.at('a.txt')).mtimeMs;
    const peer = await files.serve(era);
    expect((await peer.call('edit_file', { path: 'a.txt', edits })).isError).toBe(true);
    expect(statSync(files.at('a.txt')).mtimeMs).toBe(before);
    expect(readFileSync(files.at('a.txt'), 'utf8')).toBe('line1\nline2\n');
  });

  test('FS-19 cannot break indentation by an edit with other white space', async () => {
    const source = 'def f():\n\tif a:\n\t\treturn 1\n\treturn 2\n';
    await using files = await prepare({ 'i.py': source });
    const peer = await files.serve(era);
    const edits = [
      {
        oldText: '    if a:\n        return 1',
        newText: '    if a:\n        return 10\n    else:\n        pass',
      },
    ];
    const { isError, text } = await peer.call('edit_file', { path: 'i.py', edits });
    const after = readFileSync(files.at('i.py'), 'utf8');
    const outcome = isError
      ? { isUnchanged: after === source, quotes: text.includes('if a:') }
      : { isTabbed: after === 'def f():\n\tif a:\n\t\treturn 10\n\telse:\n\t\tpass\n\treturn 2\n' };
    expect(Object.values(outcome)).not.toContain(false);
  });

  test('FS-21 can send fifty edits of one file at once, and all survive', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `L${index}=0\n`);
    await using files = await prepare({ 'n.txt': lines.join('') });
    const peer = await files.serve(era);
    const edit = (index: number) =>
      peer.call('edit_file', {
        path: 'n.txt',
        edits: [{ oldText: `L${index}=0\n`, newText: `L${index}=1\n` }],
      });
    const outcomes = await Promise.all(lines.map((_line, index) => edit(index)));
    expect(outcomes.filter(({ isError }) => isError)).toEqual([]);
    expect(readFileSync(files.at('n.txt'), 'utf8')).toBe(
      lines.map((line) => line.replace('=0', '=1')).join(''),
    );
  });

  test.runIf(process.platform !== 'win32')(
    'FS-23 keeps mode, hard links and links inside when it writes',
    async () => {
      await using files = await prepare({ 'exe.sh': '#!/bin/sh\n', h1: 'H' });
      chmodSync(files.at('exe.sh'), 0o750);
      linkSync(files.at('h1'), files.at('h2'));
      symlinkSync(files.at('h1'), files.at('s'));
      const peer = await files.serve(era);
      expect(
        (await peer.call('write_file', { path: 'exe.sh', content: '#!/bin/sh\necho\n' })).isError,
      ).toBe(false);
      expect(statSync(files.at('exe.sh')).mode & 0o777).toBe(0o750);
      expect((await peer.call('write_file', { path: 'h2', content: 'N' })).isError).toBe(false);
      expect([statSync(files.at('h1')).nlink, readFileSync(files.at('h1'), 'utf8')]).toEqual([
        2,
        'N',
      ]);
      expect((await peer.call('write_file', { path: 's', content: 'M' })).isError).toBe(false);
      expect(lstatSync(files.at('s')).isSymbolicLink()).toBe(true);
      expect(readFileSync(files.at('h1'), 'utf8')).toBe('M');
    },
  );

  test('FS-51 has no writing tools with --read-only', async () => {
    await using files = await prepare({ 'a.txt': 'x' });
    const peer = await files.serve(era, { args: ['--read-only', files.root] });
    const { result } = await peer.request('tools/list');
    const tools = result?.['tools'] as readonly {
      readonly annotations: { readonly readOnlyHint: boolean };
    }[];
    expect(tools.every(({ annotations }) => annotations.readOnlyHint)).toBe(true);
    expect((await peer.call('write_file', { path: 'a.txt', content: 'y' })).error).toMatchObject({
      code: -32602,
    });
    expect(readFileSync(files.at('a.txt'), 'utf8')).toBe('x');
  });

  test('FS-52 creates, moves, copies and deletes by its contracts', async () => {
    await using files = await prepare({ 'a.txt': 'A', 'b.txt': 'B', 't/x': '1' });
    const peer = await files.serve(era);
    const moved = await peer.call('move_file', { source: 'a.txt', destination: 'b.txt' });
    expect([moved.isError, readFileSync(files.at('b.txt'), 'utf8')]).toEqual([true, 'B']);
    expect(moved.text).toContain('b.txt already exists');
    const written = await peer.call('write_file', { path: 'n1/n2/f.txt', content: 'x' });
    expect([written.isError, existsSync(files.at('n1'))]).toEqual([true, false]);
    expect(written.text).toContain('parent directory does not exist');
    expect((await peer.call('create_directory', { path: 'm1/m2/m3' })).isError).toBe(false);
    expect(statSync(files.at('m1/m2/m3')).isDirectory()).toBe(true);
    expect((await peer.call('copy_file', { source: 'a.txt', destination: 'c.txt' })).isError).toBe(
      false,
    );
    expect([
      readFileSync(files.at('a.txt'), 'utf8'),
      readFileSync(files.at('c.txt'), 'utf8'),
    ]).toEqual(['A', 'A']);
    const deleted = await peer.call('delete_file', { path: 't' });
    expect([deleted.isError, existsSync(files.at('t/x'))]).toEqual([true, true]);
    expect(deleted.text).toMatch(/not empty|recursive/);
    const root = await peer.call('move_file', { source: files.root, destination: files.at('t/r') });
    expect([root.isError, existsSync(files.at('t/r'))]).toEqual([true, false]);
    expect(root.text).toMatch(/allowed directory .*cannot be moved/);
  });

  test('FS-52 deletes a directory with everything in it only after the token of the refusal', async () => {
    await using files = await prepare({ 't/x': '1', 't/deep/y': '2' });
    const peer = await files.serve(era);
    const refusal = await peer.call('delete_file', { path: 't', recursive: true });
    const [, confirmToken] = /"confirmToken": "([\w-]+)"/.exec(refusal.text) ?? [];
    expect([refusal.isError, existsSync(files.at('t/x'))]).toEqual([true, true]);
    expect(
      (await peer.call('delete_file', { path: '.', recursive: true, confirmToken })).isError,
    ).toBe(true);
    const again = /"confirmToken": "([\w-]+)"/.exec(
      (await peer.call('delete_file', { path: 't', recursive: true })).text,
    )?.[1];
    expect(
      (await peer.call('delete_file', { path: 't', recursive: true, confirmToken: again })).isError,
    ).toBe(false);
    expect(existsSync(files.at('t'))).toBe(false);
  });

  test.runIf(process.platform === 'linux')(
    'FS-21 leaves no temporary file behind after a write',
    async () => {
      await using files = await prepare({ 'a.txt': 'x' });
      const peer = await files.serve(era);
      await peer.call('write_file', { path: 'a.txt', content: 'y' });
      expect(execFileSync('ls', ['-A', files.root]).toString()).toBe('a.txt\n');
    },
  );
});
