import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { expect, test } from 'vitest';
import { isOrdinarySchema } from '../schema/ordinary-schema.ts';
import { demoServer, type DemoServerName } from './demo-servers.ts';

test.each<[DemoServerName, (folder: string) => readonly string[]]>([
  ['filesystem', (folder) => [folder]],
  ['sqlite', (folder) => [join(folder, 'shop.db')]],
  ['weather', () => ['--demo']],
])('no tool of the %s server has a schema that needs a thread at the start', async (name, args) => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-demo-'));
  const server = demoServer(name, args(folder));
  const client = await connectClient(
    () => spawnStdio({ command: process.execPath, args: 'args' in server ? server.args : [] }),
    {
      info: { name: 'test', version: '1.0.0' },
    },
  );
  try {
    const tools = await client.listTools();
    expect(tools.length).toBeGreaterThan(2);
    expect(tools.filter(({ inputSchema }) => !isOrdinarySchema(inputSchema))).toEqual([]);
  } finally {
    await client.close();
    await rm(folder, { recursive: true });
  }
});
