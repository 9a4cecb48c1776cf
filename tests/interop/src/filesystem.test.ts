import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { officialFilesystemServer, sdkV2Server } from '../../peers/src/official-servers.ts';
import {
  ClientV1,
  ResourceUpdatedNotificationSchema,
  StdioClientTransportV1,
} from '../../peers/src/sdk-v1.ts';
import { ClientV2, StdioClientTransportV2 } from '../../peers/src/sdk-v2.ts';

const ourFilesystemServer = fileURLToPath(
  new URL('bin.js', import.meta.resolve('@signalbox/server-filesystem/package.json')),
);
const info = { name: 'interop', version: '1.0.0' };

let folder: string;
const cleanups: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'interop-')));
  await writeFile(join(folder, 'hello.txt'), 'good day\n');
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await rm(folder, { recursive: true });
});

const ours = () => ({ command: process.execPath, args: [ourFilesystemServer, folder] });

async function connectOurs(
  args: readonly string[],
  era: 'auto' | 'legacy' | 'modern' = 'auto',
): Promise<Client> {
  const client = await connectClient(() => spawnStdio({ command: 'node', args }), {
    info,
    era,
    // A server may need more than the default 1.5 s to start while other tests run.
    limits: { probeTimeoutMs: 30_000 },
  });
  cleanups.push(() => client.close());
  return client;
}

describe('an official client with our filesystem server', () => {
  test('SDK v1 lists, reads and writes', async () => {
    const client = new ClientV1(info);
    await client.connect(new StdioClientTransportV1(ours()));
    cleanups.push(() => client.close());
    expect(client.getServerVersion()).toMatchObject({
      name: expect.stringContaining('filesystem') as string,
    });
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining(['list_directory', 'read_text_file', 'search_files', 'write_file']),
    );

    await client.callTool({
      name: 'write_file',
      arguments: { path: join(folder, 'new.txt'), content: 'written' },
    });
    const read = await client.callTool({
      name: 'read_text_file',
      arguments: { path: join(folder, 'new.txt') },
    });
    expect(read.content).toMatchObject([{ type: 'text', text: 'written' }]);
    const refused = await client.callTool({
      name: 'read_text_file',
      arguments: { path: '/etc/passwd' },
    });
    expect(refused.isError).toBe(true);
  });

  test('SDK v1 reads resources and receives their changes', async () => {
    const client = new ClientV1(info);
    const updated = new Promise<string>((resolve) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
        resolve(params.uri),
      );
    });
    await client.connect(new StdioClientTransportV1(ours()));
    cleanups.push(() => client.close());
    const { resources } = await client.listResources();
    const file = resources.find((resource) => resource.uri.endsWith('/hello.txt'))!;
    expect((await client.readResource({ uri: file.uri })).contents).toMatchObject([
      { text: 'good day\n' },
    ]);
    await client.subscribeResource({ uri: file.uri });
    await writeFile(join(folder, 'hello.txt'), 'good night\n');
    expect(await updated).toBe(file.uri);
  });

  test.for([
    ['its default, legacy', {}],
    ['detection', { versionNegotiation: { mode: 'auto' } }],
    ['the modern era pinned', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ] as const)('SDK v2 lists and calls with %s', async ([, options]) => {
    const client = new ClientV2(info, options);
    await client.connect(new StdioClientTransportV2(ours()));
    cleanups.push(() => client.close());
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain('search_files');
    const progress: number[] = [];
    const found = await client.callTool(
      { name: 'search_files', arguments: { path: folder, pattern: '*.txt' } },
      { onprogress: (update) => progress.push(update.progress) },
    );
    expect(found.structuredContent).toMatchObject({ total: 1 });
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  });
});

describe('our client with an official server', () => {
  test('the official filesystem server, which is legacy only', async () => {
    const client = await connectOurs([officialFilesystemServer, folder]);
    expect(client.server).toMatchObject({ era: 'legacy', protocolVersion: '2025-11-25' });
    expect((await client.listTools()).map((tool) => tool.name)).toContain('read_text_file');
    const read = await client.callTool('read_text_file', { path: join(folder, 'hello.txt') });
    expect(read.content).toMatchObject([{ type: 'text', text: 'good day\n' }]);
    expect((await client.callTool('read_text_file', { path: '/etc/passwd' })).isError).toBe(true);
  });

  test.for(['auto', 'modern', 'legacy'] as const)('a server on the SDK v2, era %s', async (era) => {
    const client = await connectOurs([sdkV2Server], era);
    expect(client.server.era).toBe(era === 'legacy' ? 'legacy' : 'modern');
    expect((await client.listTools()).map((tool) => tool.name)).toEqual(['echo']);
    expect((await client.callTool('echo', { text: 'hear, hear' })).content).toMatchObject([
      { type: 'text', text: 'hear, hear' },
    ]);
    await client.ping();
  });
});

describe('our client with our filesystem server over a real process', () => {
  test.for(['legacy', 'modern'] as const)('era %s: lists, calls, watches', async (era) => {
    const client = await connectOurs([ourFilesystemServer, folder], era);
    const { uri } = (await client.listResources()).find((resource) =>
      resource.uri.endsWith('/hello.txt'),
    )!;
    const updated = Promise.withResolvers<string>();
    const watch = await client.watch({ resources: [uri], onResourceUpdated: updated.resolve });
    expect(watch.filter.resourceSubscriptions).toEqual([uri]);
    await client.callTool('write_file', { path: join(folder, 'hello.txt'), content: 'changed' });
    expect(await updated.promise).toBe(uri);
    await watch.close();
  });
});
