import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { mcpRemote } from '../../../peers/src/official-servers.ts';
import { ClientV1, StdioClientTransportV1 } from '../../../peers/src/sdk-v1-clients.ts';
import { compileCache } from '../compile-cache.ts';
import { ourServers, serveOverHttp, type OurServer } from './our-servers.ts';

let home: string;
let ours: Awaited<ReturnType<typeof ourServers>>;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mcp-remote-'));
  ours = await ourServers();
});

afterAll(async () => {
  await ours.remove();
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
});

/** Connects a host that has only stdio to the server at the URL, through mcp-remote. */
async function bridgeTo(url: string): Promise<ClientV1> {
  const client = new ClientV1({ name: 'host', version: '1.0.0' }, { capabilities: {} });
  onTestFinished(() => client.close());
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, ...compileCache };
  await client.connect(
    new StdioClientTransportV1({
      command: process.execPath,
      args: [mcpRemote, url, '--allow-http'],
      env,
      cwd: home,
      stderr: 'ignore',
    }),
  );
  return client;
}

describe.each(['filesystem', 'sqlite', 'weather'])(
  'mcp-remote before server-%s over HTTP',
  (name) => {
    test('connects, lists the tools and passes on results and errors', async () => {
      const own = ours.servers.find((server): server is OurServer => server.name === name);
      if (own === undefined) throw new Error(`no server ${name}`);
      const served = await serveOverHttp(own);
      onTestFinished(() => served.stop());
      const client = await bridgeTo(served.url);
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toContain(own.works.tool);
      for (const [{ tool, args, text }, isError] of [
        [own.works, false],
        [own.fails, true],
      ] as const) {
        const result = await client.callTool({ name: tool, arguments: args });
        expect({ isError: result.isError === true, text: JSON.stringify(result.content) }).toEqual({
          isError,
          text: expect.stringContaining(text) as string,
        });
      }
    });
  },
);
