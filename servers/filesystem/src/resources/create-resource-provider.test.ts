import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { chooseOpener, createSandboxBase, findAllowedDirectories } from '@signalbox/file-sandbox';
import type { ResourceProvider } from '@signalbox/mcp-core/server';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { expect, test } from 'vitest';
import { defaultLimits } from '../files/limits.ts';
import { SessionSandbox } from '../session/session-sandbox.ts';
import { RunningCalls } from '../tools/running-calls.ts';
import { createResourceProvider } from './create-resource-provider.ts';
import { DirectoryWatches } from './directory-watches.ts';
import { Watchers } from './watchers.ts';

interface Provided extends AsyncDisposable {
  readonly provider: Required<ResourceProvider>;
  readonly watchers: Watchers;
  readonly updates: readonly string[];
}

async function provide(directory: string, maxPaths?: number): Promise<Provided> {
  const opener = await chooseOpener('/');
  const { directories: cli } = await findAllowedDirectories([directory], opener);
  const session = new SessionSandbox({
    cli,
    rootsMode: 'narrow',
    base: createSandboxBase(opener),
    warn: () => undefined,
  });
  const watchers = new Watchers({
    opener,
    directories: new DirectoryWatches({ opener, warn: () => undefined }),
    ...(maxPaths === undefined ? {} : { maxPaths }),
  });
  const updates: string[] = [];
  const provider = createResourceProvider({
    session,
    limits: defaultLimits,
    watchers,
    calls: new RunningCalls(),
    updated: (uri) => updates.push(uri),
  });
  // This provider implements every optional method.
  return {
    provider: provider as Required<ResourceProvider>,
    watchers,
    updates,
    [Symbol.asyncDispose]: () => Promise.resolve(watchers.close()),
  };
}

const context = createTestContext({ era: 'modern' });

test('authorizes a subscription before anything is watched', async () => {
  await using folders = await createTemporaryFolders({ outside: { 'x.txt': 's' } });
  await symlink(folders.outside, path.join(folders.root, 'd'));
  await using provided = await provide(folders.root);
  for (const target of [
    `${folders.outside}/x.txt`,
    `${folders.outside}/none`,
    `${folders.root}/d/x.txt`,
    `${folders.root}/d/none/x.txt`,
  ]) {
    const uri = pathToFileURL(target).href;
    await expect(provided.provider.subscribe(uri, context)).rejects.toMatchObject({
      name: 'ResourceNotFoundError',
      data: { uri },
    });
  }
  expect(provided.watchers.size).toBe(0);
});

test('subscribers of one URI share a watch and get each change once', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': '0' } });
  await using provided = await provide(folders.root);
  const file = path.join(folders.root, 'a.txt');
  const uri = pathToFileURL(file).href;
  const stops = [
    await provided.provider.subscribe(uri, context),
    await provided.provider.subscribe(uri, context),
  ] as const;
  expect(provided.watchers.size).toBe(1);
  await writeFile(file, '1');
  await expect.poll(() => provided.updates).toEqual([uri]);
  await stops[0]();
  await stops[0]();
  expect(provided.watchers.size).toBe(1);
  await stops[1]();
  expect(provided.watchers.size).toBe(0);
});

test('a URI with a slash at its end is a tree, without a slash the entries of a directory', async () => {
  await using folders = await createTemporaryFolders({ root: { 'd/sub/a.txt': '0' } });
  await using provided = await provide(folders.root);
  const uri = pathToFileURL(path.join(folders.root, 'd')).href;
  await provided.provider.subscribe(uri, context);
  await provided.provider.subscribe(`${uri}/`, context);
  expect(provided.watchers.size).toBe(2);
  await writeFile(path.join(folders.root, 'd/sub/a.txt'), '1');
  await expect.poll(() => provided.updates).toEqual([`${uri}/`]);
  await writeFile(path.join(folders.root, 'd/new.txt'), '');
  await expect.poll(() => provided.updates).toContain(uri);
});

test('sends no notification for changes that happen outside', async () => {
  await using folders = await createTemporaryFolders({ root: { 'd/a.txt': '0', 'b.txt': '0' } });
  await using provided = await provide(folders.root);
  const [a, b] = [path.join(folders.root, 'd/a.txt'), path.join(folders.root, 'b.txt')];
  await provided.provider.subscribe(pathToFileURL(a).href, context);
  await provided.provider.subscribe(pathToFileURL(b).href, context);
  await rename(path.join(folders.root, 'd'), path.join(folders.outside, 'd'));
  await symlink(path.join(folders.outside, 'd'), path.join(folders.root, 'd'));
  await writeFile(path.join(folders.outside, 'd/a.txt'), 'secret activity');
  await writeFile(b, '1');
  await expect.poll(() => provided.updates).toContain(pathToFileURL(b).href);
  expect(provided.updates).toEqual([pathToFileURL(b).href]);
});

test('a subscription over the limit fails with the limit, and the others continue', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': '', 'b.txt': '' } });
  await using provided = await provide(folders.root, 1);
  await provided.provider.subscribe(pathToFileURL(path.join(folders.root, 'a.txt')).href, context);
  const over = pathToFileURL(path.join(folders.root, 'b.txt')).href;
  await expect(provided.provider.subscribe(over, context)).rejects.toThrow('at most 1 paths');
  expect(provided.watchers.size).toBe(1);
});

test('refuses a cursor it did not make', async () => {
  await using folders = await createTemporaryFolders();
  await using provided = await provide(folders.root);
  for (const cursor of [
    '',
    'x',
    Buffer.from('{"index":-1.5}').toString('base64url'),
    Buffer.from('nonsense').toString('base64url'),
  ]) {
    await expect(provided.provider.list(cursor, context)).rejects.toMatchObject({ code: -32602 });
  }
});

test('reads text full of control characters as bytes rather than over the budget', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'c.txt': '\u0001'.repeat(500_000) },
  });
  await using provided = await provide(folders.root);
  const uri = pathToFileURL(path.join(folders.root, 'c.txt')).href;
  const { contents, cacheScope } = await provided.provider.read(uri, context);
  expect(contents).toMatchObject([
    { uri, mimeType: 'text/plain', blob: Buffer.alloc(500_000, 1).toString('base64') },
  ]);
  expect(cacheScope).toBe('private');
});

test('reads an empty directory as an empty listing', async () => {
  await using folders = await createTemporaryFolders();
  await mkdir(path.join(folders.root, 'd'));
  await using provided = await provide(folders.root);
  const { contents } = await provided.provider.read(
    pathToFileURL(path.join(folders.root, 'd')).href,
    context,
  );
  expect(contents).toMatchObject([
    { mimeType: 'application/json', text: '{"entries":[],"truncated":false}' },
  ]);
});
