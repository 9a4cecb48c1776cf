import { mkdir, mkdtemp, realpath, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  connectV1Host,
  connectV2Host,
  type HostOptions,
  type OfficialHost,
} from './official-hosts.ts';

let folder: string;
let host: OfficialHost | undefined;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'interop-')));
  for (const name of ['a', 'b']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'a', 'README.md'), '# Hello\n');
});
afterEach(async () => {
  await host?.close();
  await rm(folder, { recursive: true });
});

const hosts: readonly [
  string,
  'legacy' | 'modern',
  (options: HostOptions) => Promise<OfficialHost>,
][] = [
  ['SDK v1', 'legacy', connectV1Host],
  ['SDK v2', 'legacy', (options) => connectV2Host(options, 'legacy')],
  ['SDK v2', 'modern', (options) => connectV2Host(options, 'modern')],
];

async function connected(
  connect: (options: HostOptions) => Promise<OfficialHost>,
  options: Partial<HostOptions> = {},
): Promise<OfficialHost> {
  host = await connect({ args: [folder], roots: () => [join(folder, 'a')], ...options });
  return host;
}

async function allowedBy({ callTool }: OfficialHost): Promise<unknown> {
  const result = await callTool('list_allowed_directories', {});
  return (result['structuredContent'] as { readonly directories: unknown }).directories;
}

describe.each(hosts)('a host on the %s, %s era', (_sdk, era, connect) => {
  test('is served within its roots, or within the configured directories without a roots request', async () => {
    expect(await allowedBy(await connected(connect))).toEqual([
      era === 'legacy' ? join(folder, 'a') : folder,
    ]);
  });

  test('gets a roots request without configured directories, and again when they changed', async () => {
    let root = 'a';
    const own = await connected(connect, { args: [], roots: () => [join(folder, root)] });
    expect(await allowedBy(own)).toEqual([join(folder, 'a')]);
    root = 'b';
    if (era === 'legacy') await own.rootsChanged();
    expect(await allowedBy(own)).toEqual([join(folder, 'b')]);
  });

  test('receives the changes of a file it subscribed to: created, replaced, deleted, and none after it unsubscribed', async () => {
    const updates: string[] = [];
    const { watch } = await connected(connect, { onUpdated: (uri) => updates.push(uri) });
    const file = join(folder, 'a', 'later.txt');
    const changes = [
      () => writeFile(file, '1'),
      async () => {
        await writeFile(join(folder, 'b', 'new'), '2');
        await rename(join(folder, 'b', 'new'), file);
      },
      () => unlink(file),
    ];
    const stop = await watch(pathToFileURL(file).href);
    for (const change of changes) {
      const before = updates.length;
      await change();
      await expect.poll(() => updates.length, { timeout: 5000 }).toBeGreaterThan(before);
    }
    expect(new Set(updates)).toEqual(new Set([pathToFileURL(file).href]));
    await stop();
    const count = updates.length;
    await watch(pathToFileURL(join(folder, 'a', 'other.txt')).href);
    await writeFile(file, 'not told');
    await writeFile(join(folder, 'a', 'other.txt'), 'told');
    await expect.poll(() => updates.length, { timeout: 5000 }).toBeGreaterThan(count);
    expect(updates.slice(count)).not.toContain(pathToFileURL(file).href);
  });

  test('receives changes of the list of resources', async () => {
    let changes = 0;
    const { listResources, watch } = await connected(connect, { onListChanged: () => changes++ });
    // A legacy client does not say that it follows the list; it has read it.
    if (era === 'legacy') await listResources();
    await watch(pathToFileURL(join(folder, 'a', 'README.md')).href);
    await writeFile(join(folder, 'first-level.txt'), '');
    await expect.poll(() => changes, { timeout: 5000 }).toBeGreaterThan(0);
  });

  test('completes paths and gets the prompt with its resources', async () => {
    const { complete, explore } = await connected(connect);
    expect(await complete(`${folder.slice(1)}/a/READ`)).toEqual([`${folder.slice(1)}/a/README.md`]);
    expect(JSON.stringify(await explore(join(folder, 'a')))).toContain('# Hello');
  });

  test('summarizes a file with its own model', async () => {
    const { callTool } = await connected(connect);
    expect(
      (await callTool('summarize_file', { path: join(folder, 'a', 'README.md') }))[
        'structuredContent'
      ],
    ).toMatchObject({ summary: 'A greeting.', model: 'mock' });
  });
});
