import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTemporaryFolders } from '../testing/temporary-folders.ts';
import { findAllowedDirectories } from './allowed-directories.ts';
import { chooseOpener, usableOpeners } from '../opener/choose-opener.ts';
import { hasKernelHandles, kernelHandleOpener } from '../opener/kernel-handle-opener.ts';
import type { Opener } from '../opener/pinned-path.ts';
import { recheckOpener } from '../opener/recheck-opener.ts';
import { createSandboxBase } from './sandbox-base.ts';
import { Sandbox } from './sandbox.ts';

const hasHandles = await hasKernelHandles('/');

async function sandboxOf(opener: Opener, ...directories: string[]): Promise<Sandbox> {
  const found = await findAllowedDirectories(directories, opener);
  return new Sandbox(
    found.directories,
    'cli',
    createSandboxBase(opener, { directories: found.directories }),
  );
}

async function read(sandbox: Sandbox, input: string): Promise<string> {
  await using pinned = await sandbox.pin(input);
  await using handle = await pinned.open(constants.O_RDONLY);
  return await handle.readFile('utf8');
}

describe.each(await usableOpeners('/'))('the sandbox with the $kind opener', (opener) => {
  test('opens one file by absolute, relative, URL and dotted spelling', async () => {
    await using folders = await createTemporaryFolders({ root: { 'sub/ä b#.txt': 'inside' } });
    const sandbox = await sandboxOf(opener, folders.root);
    const absolute = path.join(folders.root, 'sub/ä b#.txt');
    const spellings = [
      absolute,
      'sub/ä b#.txt',
      './sub/../sub/ä b#.txt',
      `file://${folders.root}/sub/%C3%A4%20b%23.txt`,
    ];
    for (const spelling of spellings) expect(await read(sandbox, spelling)).toBe('inside');
  });

  test.each(['../outside/secret.txt', '/proc/self/environ', '/etc/passwd', '~/.profile', '~'])(
    'denies %s',
    async (input) => {
      await using folders = await createTemporaryFolders({
        outside: { 'secret.txt': 'TOPSECRET' },
      });
      const sandbox = await sandboxOf(opener, folders.root);
      await expect(sandbox.pin(input)).rejects.toMatchObject({
        reason: 'outside',
        message: expect.stringContaining('outside the allowed directories') as string,
      });
    },
  );

  test('reveals nothing about files outside', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': '' },
      outside: { 'secret.txt': 'TOPSECRET' },
    });
    await symlink(folders.outside, path.join(folders.root, 'link'));
    await symlink(path.join(folders.outside, 'secret.txt'), path.join(folders.root, 'to-file'));
    await symlink(path.join(folders.outside, 'none.txt'), path.join(folders.root, 'to-none'));
    const sandbox = await sandboxOf(opener, folders.root);
    const probes = [
      `${folders.outside}/secret.txt`,
      `${folders.outside}/none.txt`,
      'link/secret.txt',
      'link/none.txt',
      'link/none/x',
      'to-file',
      'to-none',
      'link/secret.txt/x',
    ];
    for (const probe of probes)
      await expect(sandbox.pin(probe)).rejects.toMatchObject({ reason: 'outside' });
  });

  test('compares components, so that a sibling with the same prefix is outside', async () => {
    await using folders = await createTemporaryFolders();
    await mkdir(`${folders.root}-evil`);
    await writeFile(`${folders.root}-evil/s.txt`, 'PREFIX');
    const sandbox = await sandboxOf(opener, folders.root);
    await expect(sandbox.pin(`${folders.root}-evil/s.txt`)).rejects.toMatchObject({
      reason: 'outside',
    });
    await expect(
      sandbox.place(`${folders.root}-evil/w.txt`, { createParents: false }),
    ).rejects.toMatchObject({ reason: 'outside' });
  });

  test('denies links that leave and follows links that stay', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'real/a.txt': 'inside' },
      outside: { 'secret.txt': 'TOPSECRET' },
    });
    await symlink(path.join(folders.outside, 'secret.txt'), path.join(folders.root, 'l'));
    await symlink(folders.outside, path.join(folders.root, 'd'));
    await symlink('d', path.join(folders.root, 'chain'));
    await symlink('real', path.join(folders.root, 'alias'));
    const sandbox = await sandboxOf(opener, folders.root);
    for (const input of ['l', 'd', 'd/secret.txt', 'chain/secret.txt', 'real/../d/secret.txt']) {
      await expect(sandbox.pin(input)).rejects.toMatchObject({ reason: 'outside' });
    }
    expect(await read(sandbox, 'alias/a.txt')).toBe('inside');
  });

  test('creates nothing through a link that leaves, however deep', async () => {
    await using folders = await createTemporaryFolders();
    await symlink(folders.outside, path.join(folders.root, 'd'));
    await symlink(path.join(folders.outside, 'new'), path.join(folders.root, 'dangling'));
    const sandbox = await sandboxOf(opener, folders.root);
    for (const input of ['d/new.txt', 'd/a/b/c.txt', 'dangling', 'dangling/x.txt']) {
      await expect(sandbox.place(input, { createParents: true })).rejects.toMatchObject({
        reason: 'outside',
      });
      await expect(sandbox.place(input, { createParents: false })).rejects.toMatchObject({
        reason: 'outside',
      });
    }
    expect(await readdir(folders.outside)).toEqual([]);
  });

  test('makes missing parents inside', async () => {
    await using folders = await createTemporaryFolders();
    const sandbox = await sandboxOf(opener, folders.root);
    const missing = { createParents: false, parentAdvice: 'Create it first.' };
    await expect(sandbox.place('n1/n2/f.txt', missing)).rejects.toMatchObject({
      reason: 'not-found',
      message: expect.stringContaining('does not exist. Create it first.') as string,
    });
    const place = await sandbox.place('n1/n2/f.txt', { createParents: true });
    await using directory = place.directory;
    expect(directory.realPath).toBe(path.join(folders.root, 'n1/n2'));
    expect(place.name).toBe('f.txt');
  });

  test.each([
    ['', 'empty'],
    ['a.txt\0.png', 'NUL'],
    ['file://elsewhere/a', 'file URL'],
    ['file:///a%2Fb', 'file URL'],
  ])('refuses the path %j', async (input, reason) => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'x' } });
    const sandbox = await sandboxOf(opener, folders.root);
    await expect(sandbox.pin(input)).rejects.toThrow(reason);
  });

  test('decodes nothing in a plain path', async () => {
    await using folders = await createTemporaryFolders({ outside: { 'secret.txt': 'TOPSECRET' } });
    const sandbox = await sandboxOf(opener, folders.root);
    await expect(sandbox.pin(`${folders.root}/%2e%2e/outside/secret.txt`)).rejects.toMatchObject({
      reason: 'not-found',
    });
  });

  test.runIf(path.sep === '/')('reads a name with a backslash and creates none', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a\\b.txt': 'odd' } });
    const sandbox = await sandboxOf(opener, folders.root);
    expect(await read(sandbox, 'a\\b.txt')).toBe('odd');
    for (const input of ['C:\\Users\\x.txt', 'sub\\..\\..\\x.txt', 'sub\\dir/x.txt']) {
      await expect(sandbox.place(input, { createParents: true })).rejects.toMatchObject({
        reason: 'refused',
      });
    }
    expect(await readdir(folders.root)).toEqual(['a\\b.txt']);
  });

  test('allows a second directory, and nothing without any directory', async () => {
    await using folders = await createTemporaryFolders({ outside: { 'a.txt': 'second' } });
    const both = await sandboxOf(opener, folders.root, folders.outside);
    expect(await read(both, `${folders.outside}/a.txt`)).toBe('second');
    const none = new Sandbox([], 'roots', createSandboxBase(opener));
    await expect(none.pin('/')).rejects.toThrow('No directory is allowed');
  });

  test('allows a single file and nothing beside it', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'one', 'b.txt': 'two' },
    });
    const sandbox = await sandboxOf(opener, path.join(folders.root, 'a.txt'));
    expect(await read(sandbox, path.join(folders.root, 'a.txt'))).toBe('one');
    await expect(sandbox.pin(path.join(folders.root, 'b.txt'))).rejects.toMatchObject({
      reason: 'outside',
    });
  });

  test('keeps reading an allowed directory that is itself reached through a link', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'inside' } });
    const alias = path.join(folders.outside, 'alias');
    await symlink(folders.root, alias);
    const sandbox = await sandboxOf(opener, alias);
    expect(await read(sandbox, path.join(alias, 'a.txt'))).toBe('inside');
    expect(await read(sandbox, path.join(folders.root, 'a.txt'))).toBe('inside');
  });

  test('denies an allowed directory that was replaced by a link', async () => {
    await using folders = await createTemporaryFolders({ outside: { 'a.txt': 'TOPSECRET' } });
    const sandbox = await sandboxOf(opener, folders.root);
    await rm(folders.root, { recursive: true });
    await symlink(folders.outside, folders.root);
    await expect(sandbox.pin('a.txt')).rejects.toMatchObject({ reason: 'outside' });
  });

  test('pins a FIFO at once without opening it', async () => {
    await using folders = await createTemporaryFolders();
    execFileSync('mkfifo', [path.join(folders.root, 'f')]);
    const sandbox = await sandboxOf(opener, folders.root);
    await using pinned = await sandbox.pin('f');
    expect(pinned.stats.isFIFO()).toBe(true);
  });

  test('names the missing path in the caller’s spelling', async () => {
    await using folders = await createTemporaryFolders();
    const sandbox = await sandboxOf(opener, folders.root);
    await expect(sandbox.pin('none/a.txt')).rejects.toMatchObject({
      reason: 'not-found',
      message: expect.stringContaining('none/a.txt') as string,
    });
    await expect(sandbox.pin('x'.repeat(300))).rejects.toMatchObject({ reason: 'invalid' });
  });

  test('finds the nearest existing directory', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/b.txt': '' } });
    const sandbox = await sandboxOf(opener, folders.root);
    const { directory, missing } = await sandbox.nearest('a/c/d.txt');
    await using found = directory;
    expect([found.realPath, missing]).toEqual([path.join(folders.root, 'a'), ['c', 'd.txt']]);
  });

  test('refuses to find a real path again once a link stands in it', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x.txt': '', 'b/x.txt': '' } });
    const sandbox = await sandboxOf(opener, folders.root);
    await rm(path.join(folders.root, 'a'), { recursive: true });
    await symlink('b', path.join(folders.root, 'a'));
    await expect(sandbox.pinExactly(path.join(folders.root, 'a'))).rejects.toMatchObject({
      reason: 'outside',
    });
    await expect(sandbox.pinExactly(path.join(folders.root, 'a/x.txt'))).rejects.toMatchObject({
      reason: 'outside',
    });
  });
});

test.runIf(hasHandles)(
  'a pinned file stays the checked file after changes of its path',
  async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'checked' },
      outside: { 'a.txt': 'TOPSECRET' },
    });
    const sandbox = await sandboxOf(kernelHandleOpener, folders.root);
    await using pinned = await sandbox.pin('a.txt');
    await rm(path.join(folders.root, 'a.txt'));
    await symlink(path.join(folders.outside, 'a.txt'), path.join(folders.root, 'a.txt'));
    await using handle = await pinned.open(constants.O_RDONLY);
    expect(await handle.readFile('utf8')).toBe('checked');
  },
);

test('the recheck opener notices a file that was replaced by a link', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'a.txt': 'checked' },
    outside: { 'a.txt': 'TOPSECRET' },
  });
  const sandbox = await sandboxOf(recheckOpener, folders.root);
  await using pinned = await sandbox.pin('a.txt');
  await rm(path.join(folders.root, 'a.txt'));
  await symlink(path.join(folders.outside, 'a.txt'), path.join(folders.root, 'a.txt'));
  await expect(pinned.open(constants.O_RDONLY)).rejects.toMatchObject({ code: 'ELOOP' });
});

test('the recheck opener notices a parent that was replaced by a link', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'd/a.txt': 'checked' },
    outside: { 'a.txt': 'TOPSECRET' },
  });
  const sandbox = await sandboxOf(recheckOpener, folders.root);
  await using pinned = await sandbox.pin('d/a.txt');
  await rm(path.join(folders.root, 'd'), { recursive: true });
  await symlink(folders.outside, path.join(folders.root, 'd'));
  await expect(pinned.open(constants.O_RDONLY)).rejects.toMatchObject({ reason: 'outside' });
});

test('finds each allowed directory once and reports the problem of the others', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': '' } });
  await symlink(folders.root, path.join(folders.outside, 'alias'));
  execFileSync('mkfifo', [path.join(folders.outside, 'fifo')]);
  const given = [
    folders.root,
    path.join(folders.outside, 'alias'),
    path.join(folders.outside, 'none'),
    path.join(folders.outside, 'fifo'),
  ];
  const { directories, problems } = await findAllowedDirectories(given, await chooseOpener('/'));
  expect(directories).toEqual([
    {
      path: folders.root,
      realPath: folders.root,
      aliases: [path.join(folders.outside, 'alias')],
      identity: expect.any(String) as string,
    },
  ]);
  expect(problems).toEqual([
    `${folders.outside}/none: no such directory`,
    `${folders.outside}/fifo: is neither a directory nor a regular file`,
  ]);
});

test.runIf(hasHandles)('leaves no descriptor open after failures', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': '' } });
  await symlink(folders.outside, path.join(folders.root, 'd'));
  await chmod(path.join(folders.root, 'a.txt'), 0o600);
  const sandbox = await sandboxOf(kernelHandleOpener, folders.root);
  const openBefore = (await readdir('/proc/self/fd')).length;
  for (let round = 0; round < 50; round++) {
    await sandbox.pin('d/x').catch(() => undefined);
    await sandbox.pin('none/x').catch(() => undefined);
    await sandbox.place('d/x', { createParents: true }).catch(() => undefined);
    await sandbox.place('a.txt/x', { createParents: true }).catch(() => undefined);
    await sandbox.nearest('d/x').catch(() => undefined);
  }
  expect((await readdir('/proc/self/fd')).length).toBeLessThan(openBefore + 10);
  expect(await readFile(path.join(folders.root, 'a.txt'), 'utf8')).toBe('');
});

test('denies the paths that the operator denied, in any spelling and by any route', async () => {
  await using folders = await createTemporaryFolders({
    root: { '.env': 'S', 'sub/.env': 'S', 'keys/a/b.pem': 'S', 'free.txt': 'free' },
  });
  await symlink('.env', path.join(folders.root, 'alias'));
  await symlink('keys', path.join(folders.root, 'keychain'));
  const opener = await chooseOpener('/');
  const { directories } = await findAllowedDirectories([folders.root], opener);
  const base = createSandboxBase(opener, { isDenied: isSecret, directories });
  const sandbox = new Sandbox(directories, 'cli', base);
  const probes = [
    '.env',
    'sub/.env',
    'sub/../.env',
    'alias',
    'keys',
    'keys/a',
    'keys/a/b.pem',
    'keys/none',
    'keychain',
    'keychain/a/b.pem',
    'keychain/none',
    'sub/.env/x',
  ];
  for (const probe of probes)
    await expect(sandbox.pin(probe)).rejects.toMatchObject({ reason: 'refused' });
  for (const probe of ['new/.env', 'keys/new', 'keychain/new', 'sub/.env/deep/x']) {
    await expect(sandbox.place(probe, { createParents: true })).rejects.toMatchObject({
      reason: 'refused',
    });
    await expect(sandbox.nearest(probe)).rejects.toMatchObject({ reason: 'refused' });
  }
  expect(await read(sandbox, 'free.txt')).toBe('free');
  // A root of a client below must not change the path.
  const narrowed = new Sandbox(
    (await findAllowedDirectories([path.join(folders.root, 'sub')], opener)).directories,
    'roots',
    base,
  );
  await expect(narrowed.pin('.env')).rejects.toMatchObject({ reason: 'refused' });
  const inside = new Sandbox(
    (await findAllowedDirectories([path.join(folders.root, 'keys')], opener)).directories,
    'roots',
    base,
  );
  await expect(inside.pin('a/b.pem')).rejects.toMatchObject({ reason: 'refused' });
});

test('an allowed directory is recognised under another spelling by its identity, where file systems ignore case', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'sub/A.txt': 'inside' },
    outside: { 'A.txt': 'TOPSECRET' },
  });
  // Emulates a file system that ignores case: the capital name, which is allowed, is the same
  // directory.
  const capital = path.join(path.dirname(folders.root), 'ROOT');
  const aliasing: Opener = {
    kind: 'recheck',
    async pin(given, options) {
      const pinned = await recheckOpener.pin(given.replace(capital, folders.root), options);
      const realPath = given.startsWith(capital) ? given : pinned.realPath;
      return Object.defineProperty(pinned, 'realPath', { value: realPath });
    },
  };
  const [found] = (await findAllowedDirectories([folders.root], aliasing)).directories;
  const sandbox = new Sandbox(
    [{ ...found!, path: capital, realPath: capital }],
    'cli',
    createSandboxBase(aliasing),
  );
  await using pinned = await sandbox.pin(`${folders.root}/sub/A.txt`);
  expect(pinned.realPath).toBe(path.join(capital, 'sub/A.txt'));
  await expect(sandbox.pin(`${folders.outside}/A.txt`)).rejects.toMatchObject({
    reason: 'outside',
  });
});

test('finds names in the Unicode normalization in which they are stored', async () => {
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
  await using folders = await createTemporaryFolders({
    root: { [`${decomposed}/${composed}.txt`]: 'mixed', 'plain/x': '' },
  });
  const root = path.join(folders.root, decomposed);
  const sandbox = await sandboxOf(await chooseOpener('/'), folders.root);
  for (const spelling of [
    `${composed}/${composed}.txt`,
    `${decomposed}/${decomposed}.txt`,
    `${composed}/${decomposed}.txt`,
  ])
    expect(await read(sandbox, spelling)).toBe('mixed');
  expect((await sandbox.entry(`${composed}/${decomposed}.txt`)).name).toBe(`${composed}.txt`);
  expect(
    await read(
      await sandboxOf(await chooseOpener('/'), folders.root),
      `${decomposed}/${composed}.txt`,
    ),
  ).toBe('mixed');
  await expect(sandbox.pin(`${composed}/none`)).rejects.toMatchObject({ reason: 'not-found' });
  await using nearest = (await sandbox.nearest(`${composed}/new/x`)).directory;
  expect(nearest.realPath).toBe(root);
  const inner = await sandboxOf(await chooseOpener('/'), root);
  expect(await read(inner, path.join(folders.root, composed, `${composed}.txt`))).toBe('mixed');
  const denying = new Sandbox(
    inner.directories,
    'cli',
    createSandboxBase(await chooseOpener('/'), {
      isDenied: (name) => name.normalize('NFC').startsWith(composed),
      directories: inner.directories,
    }),
  );
  await expect(denying.pin(`${composed}.txt`)).rejects.toMatchObject({ reason: 'refused' });
});

test('finds plain names below a directory in another Unicode normalization, and follows only links that stay inside', async () => {
  const [composed, decomposed] = ['\u00fcber', 'u\u0308ber'];
  await using folders = await createTemporaryFolders({
    root: { [`${decomposed}/deep/ex.txt`]: 'precious' },
    outside: { 'ex.txt': 'TOPSECRET' },
  });
  const folder = path.join(folders.root, decomposed);
  await symlink('deep', path.join(folder, 'inside'));
  await symlink(folders.outside, path.join(folder, 'out'));
  await symlink('none', path.join(folder, 'dangling'));
  const sandbox = await sandboxOf(await chooseOpener('/'), folders.root);
  expect(await read(sandbox, `${composed}/deep/ex.txt`)).toBe('precious');
  expect(await read(sandbox, `${composed}/inside/ex.txt`)).toBe('precious');
  for (const name of ['out/ex.txt', 'out/none', 'dangling', 'dangling/x'])
    await expect(sandbox.pin(`${composed}/${name}`)).rejects.toMatchObject({ reason: 'outside' });
});

test.runIf(hasHandles)('a closed path cannot be used by mistake', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': '' } });
  const sandbox = await sandboxOf(kernelHandleOpener, folders.root);
  const pinned = await sandbox.pin('.');
  await pinned.close();
  expect(() => pinned.address).toThrow('after it was closed');
});

test.runIf(hasHandles)(
  'a path that is closed while something is opened through it leads to no other file',
  async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'inside' },
      outside: { 'secret.txt': 'TOPSECRET' },
    });
    const sandbox = await sandboxOf(kernelHandleOpener, folders.root);
    const secret = path.join(folders.outside, 'secret.txt');
    for (let round = 0; round < 200; round++) {
      const pinned = await sandbox.pin('a.txt');
      const opening = pinned.open(constants.O_RDONLY);
      const closing = pinned.close();
      // The system reuses the lowest free number.
      const descriptors = Array.from({ length: 8 }, () => openSync(secret, 'r'));
      await using handle = await opening;
      expect(await handle.readFile('utf8')).toBe('inside');
      await closing;
      for (const descriptor of descriptors) closeSync(descriptor);
    }
  },
);

function isSecret(relativePath: string): boolean {
  const names = relativePath.split(path.sep);
  return names.includes('.env') || names[0] === 'keys';
}
