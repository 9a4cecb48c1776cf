import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterCreateFile, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { hashOf, kernelHandleOpener, usableOpeners } from '@signalbox/file-sandbox';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { describe, expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

describe.each(await usableOpeners('/'))('write_file with the $kind opener', (opener) => {
  test('creates and replaces, and leaves nothing else behind', async () => {
    await using folders = await createTemporaryFolders();
    const tools = await createToolCaller([folders.root], { opener });
    const target = path.join(folders.root, 'ä.txt');
    expect((await tools.call('write_file', { path: 'ä.txt', content: 'é\n' })).structured).toEqual({
      content: 'Successfully wrote to ä.txt',
      path: target,
      bytes: 3,
      created: true,
      hash: hashOf(Buffer.from('é\n')),
    });
    expect((await tools.call('write_file', { path: target, content: '' })).structured).toEqual({
      content: `Successfully wrote to ${target}`,
      path: target,
      bytes: 0,
      created: false,
      hash: hashOf(Buffer.from('')),
    });
    expect(await readFile(target, 'utf8')).toBe('');
    expect(await readdir(folders.root)).toEqual(['ä.txt']);
  });

  test('keeps the mode, the hard link and the symbolic link of what it replaces', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'exe.sh': '#!/bin/sh\n', h1: 'H', t: 'T' },
    });
    const at = (name: string) => path.join(folders.root, name);
    await chmod(at('exe.sh'), 0o750);
    await link(at('h1'), at('h2'));
    await symlink(at('t'), at('s'));
    const tools = await createToolCaller([folders.root], { opener });
    await tools.call('write_file', { path: 'exe.sh', content: '#!/bin/sh\necho\n' });
    await tools.call('write_file', { path: 'h2', content: 'N' });
    await tools.call('write_file', { path: 's', content: 'M' });
    expect((await stat(at('exe.sh'))).mode & 0o7777).toBe(0o750);
    expect((await stat(at('h1'))).nlink).toBe(2);
    expect(await readFile(at('h1'), 'utf8')).toBe('N');
    expect((await lstat(at('s'))).isSymbolicLink()).toBe(true);
    expect(await readFile(at('t'), 'utf8')).toBe('M');
  });

  test('never replaces a file below a directory in another Unicode normalization by a new one', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'u\u0308ber/ex.txt': 'precious' },
    });
    const tools = await createToolCaller([folders.root], { opener });
    const target = path.join(folders.root, 'u\u0308ber/ex.txt');
    expect((await tools.call('read_text_file', { path: '\u00fcber/ex.txt' })).text).toBe(
      'precious',
    );
    const { structured } = await tools.call('write_file', {
      path: '\u00fcber/ex.txt',
      content: 'new',
    });
    expect(structured).toMatchObject({ path: target, created: false });
    await tools.call('edit_file', {
      path: '\u00fcber/ex.txt',
      edits: [{ oldText: 'new', newText: 'newer' }],
    });
    expect(await readFile(target, 'utf8')).toBe('newer');
    expect(await readdir(folders.root, { recursive: true })).toHaveLength(2);
  });

  test('replaces a file that appears while a new one is written, and does not call it created', async () => {
    await using folders = await createTemporaryFolders();
    const target = path.join(folders.root, 'a.txt');
    let creations = 0;
    const meddle = () => {
      if (creations++ === 0) writeFileSync(target, 'of another program');
    };
    const tools = await createToolCaller([folders.root], {
      opener: afterCreateFile(opener, meddle),
    });
    const { structured } = await tools.call('write_file', { path: 'a.txt', content: 'ours' });
    expect(structured).toMatchObject({ created: false });
    expect(await readdir(folders.root)).toEqual(['a.txt']);
  });

  test('creates parents only when asked', async () => {
    await using folders = await createTemporaryFolders();
    const tools = await createToolCaller([folders.root], { opener });
    await expect(tools.call('write_file', { path: 'n1/n2/f.txt', content: 'x' })).rejects.toThrow(
      'parent directory does not exist. Set createParents',
    );
    expect(await readdir(folders.root)).toEqual([]);
    await tools.call('write_file', { path: 'n1/n2/f.txt', content: 'x', createParents: true });
    expect(await readFile(path.join(folders.root, 'n1/n2/f.txt'), 'utf8')).toBe('x');
  });

  test('changes nothing outside', async () => {
    await using folders = await createTemporaryFolders({ outside: { 'secret.txt': 'TOPSECRET' } });
    await symlink(path.join(folders.outside, 'secret.txt'), path.join(folders.root, 'l'));
    await symlink(path.join(folders.outside, 'none.txt'), path.join(folders.root, 'dangling'));
    await symlink(folders.outside, path.join(folders.root, 'd'));
    const tools = await createToolCaller([folders.root], { opener });
    for (const target of [
      'l',
      'dangling',
      'd/new.txt',
      'd/secret.txt',
      'd/a/b.txt',
      '../outside/x.txt',
      `${folders.root}-evil/w.txt`,
    ]) {
      await expect(
        tools.call('write_file', { path: target, content: 'x', createParents: true }),
      ).rejects.toThrow('Access denied');
    }
    expect(await readdir(folders.outside)).toEqual(['secret.txt']);
    expect(await readFile(path.join(folders.outside, 'secret.txt'), 'utf8')).toBe('TOPSECRET');
  });

  test('refuses directories, special files and half characters', async () => {
    await using folders = await createTemporaryFolders({ root: { 'd/x': '' } });
    execFileSync('mkfifo', [path.join(folders.root, 'fifo')]);
    const tools = await createToolCaller([folders.root], { opener });
    await expect(tools.call('write_file', { path: 'd', content: 'x' })).rejects.toThrow(
      'is a directory',
    );
    await expect(tools.call('write_file', { path: '.', content: 'x' })).rejects.toThrow(
      'is a directory',
    );
    await expect(tools.call('write_file', { path: 'fifo', content: 'x' })).rejects.toThrow('FIFO');
    await expect(
      tools.call('write_file', { path: 'd/x/y', content: 'x', createParents: true }),
    ).rejects.toThrow('not a directory');
    await expect(
      tools.call('write_file', { path: 'half.txt', content: 'a\ud800' }),
    ).rejects.toThrow('surrogate');
    expect((await readdir(folders.root)).toSorted()).toEqual(['d', 'fifo']);
  });

  test('writes a single allowed file in place', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'old and long' } });
    const file = path.join(folders.root, 'a.txt');
    const tools = await createToolCaller([file], { opener });
    const { ino } = await stat(file);
    await tools.call('write_file', { path: file, content: 'new' });
    expect(await readFile(file, 'utf8')).toBe('new');
    expect((await stat(file)).ino).toBe(ino);
  });

  test('a cancelled write leaves the old content and no temporary file', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'old' } });
    const tools = await createToolCaller([folders.root], { opener });
    const context = createTestContext({ signal: AbortSignal.abort(new Error('cancelled')) });
    await expect(
      tools.call('write_file', { path: 'a.txt', content: 'new' }, context),
    ).rejects.toThrow('cancelled');
    expect(await readFile(path.join(folders.root, 'a.txt'), 'utf8')).toBe('old');
    expect(await readdir(folders.root)).toEqual(['a.txt']);
  });

  test('a failed replacement removes its temporary file', async () => {
    await using folders = await createTemporaryFolders();
    const tools = await createToolCaller([folders.root], { opener });
    // The name becomes a directory between the check and the rename.
    const long = 'x'.repeat(255);
    await mkdir(path.join(folders.root, long));
    await expect(tools.call('write_file', { path: long, content: 'x' })).rejects.toThrow(
      'is a directory',
    );
    await expect(tools.call('write_file', { path: `${long}y`, content: 'x' })).rejects.toThrow(
      'too long',
    );
    expect(await readdir(folders.root)).toEqual([long]);
  });

  test('concurrent writers and readers never see a part', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'a'.repeat(50_000) } });
    const tools = await createToolCaller([folders.root], { opener });
    const contents = 'bcdefghij'.split('').map((letter) => letter.repeat(50_000));
    const writes = contents.map((content) => tools.call('write_file', { path: 'a.txt', content }));
    const reads = Array.from({ length: 40 }, () => tools.call('read_text_file', { path: 'a.txt' }));
    await Promise.all(writes);
    const outcomes = await Promise.allSettled(reads);
    const texts = outcomes
      .filter((outcome) => outcome.status === 'fulfilled')
      .map((outcome) => outcome.value.text);
    // Without kernel handles a file that is replaced between check and open is refused.
    expect(texts.length).toBeGreaterThanOrEqual(opener === kernelHandleOpener ? reads.length : 0);
    for (const text of texts) expect(text).toBe(text.slice(0, 1).repeat(50_000));
    expect(await readdir(folders.root)).toEqual(['a.txt']);
  });
});
