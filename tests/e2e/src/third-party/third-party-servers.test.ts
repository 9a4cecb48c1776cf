import { createServer as createMcpServer, defineTool } from '@signalbox/mcp-core/server';
import { serveHttp } from '@signalbox/mcp-core/http/server';
import { once } from 'node:events';
import { createServer as createListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpRemote, thirdPartyServers } from '../../../peers/src/official-servers.ts';
import { ApiClient, type Json, type RunView, type ToolCallView } from '../support/client.ts';
import { startService, temporaryFolder, type Service } from '../support/service.ts';
import { installedVersion, recordedListings, type ThirdParty } from './direct-listing.ts';

const NAMES = [...(Object.keys(thirdPartyServers) as ThirdParty[]), 'mcp-remote'] as const;
type Name = (typeof NAMES)[number];

/** Undashed, as in every Notion address, though the tool's schema says `format: uuid`. */
const PAGE_ID = '1429989fe8ac4effbc8f57f56486db54';
/** Milliseconds between two requests for the state of the servers. */
const interval = 200;

const listings = recordedListings();

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let cloud: Server;
let remote: Awaited<ReturnType<typeof serveHttp>>;
let service: Service;
let api: ApiClient;

/** Local address that the chart and the Notion server send their requests to. */
async function startCloud(): Promise<Server> {
  const listener = createListener((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        success: true,
        resultObj: 'http://127.0.0.1/chart.png',
        asked: request.url,
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return listener;
}

function entryOf(name: Name, cloudUrl: string): Json {
  // No address but this machine's: what is not told of a local one finds a closed port.
  const env: Record<string, string> = {
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
  };
  const signalbox = { approval: 'auto' };
  switch (name) {
    case 'mcp-remote':
      return { command: 'node', args: [mcpRemote, remote.url, '--allow-http'], signalbox };
    case 'filesystem':
      return { command: 'node', args: [thirdPartyServers[name], folder.path], env, signalbox };
    case 'memory':
      return {
        command: 'node',
        args: [thirdPartyServers[name]],
        env: { ...env, MEMORY_FILE_PATH: join(folder.path, 'memory.json') },
        signalbox,
      };
    case 'notion':
      return {
        command: 'node',
        args: [thirdPartyServers[name]],
        env: { ...env, NOTION_TOKEN: 'ntn_of-the-test', BASE_URL: cloudUrl },
        signalbox,
      };
    case 'chart':
      return {
        command: 'node',
        args: [thirdPartyServers[name]],
        env: { ...env, VIS_REQUEST_SERVER: `${cloudUrl}/chart` },
        signalbox,
      };
    case 'playwright':
      return {
        command: 'node',
        args: [thirdPartyServers[name], '--executable-path', join(folder.path, 'no-browser-here')],
        env,
        signalbox,
      };
    default:
      return { command: 'node', args: [thirdPartyServers[name]], env, signalbox };
  }
}

beforeAll(async () => {
  folder = await temporaryFolder();
  cloud = await startCloud();
  const double = defineTool({
    name: 'double',
    description: 'Doubles a number.',
    inputSchema: {
      type: 'object',
      properties: { number: { type: 'number' } },
      required: ['number'],
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: ({ number }) => ({ content: [{ type: 'text', text: `twice is ${number * 2}` }] }),
  });
  remote = await serveHttp(
    createMcpServer({ info: { name: 'remote', version: '1.0.0' }, tools: [double] }),
    { port: 0 },
  );
  const cloudUrl = `http://127.0.0.1:${(cloud.address() as AddressInfo).port}`;
  const mcpServers = Object.fromEntries(NAMES.map((name) => [name, entryOf(name, cloudUrl)]));
  service = await startService({ folder: folder.path, config: { mcpServers } });
  api = new ApiClient(service.url);
});

afterAll(async () => {
  await service.stop();
  await remote.close();
  cloud.close();
  cloud.closeAllConnections();
  await folder.remove();
});

function statusOf(name: Name): Promise<Json> {
  return api.get(`/v1/servers/${name}`);
}

async function toolNames(name: Name): Promise<readonly string[]> {
  const { data } = await api.get<{ data: { readonly name: string; readonly server: string }[] }>(
    '/v1/tools?limit=1000',
  );
  // Of a server with resources the service has tools of its own, too.
  return data
    .filter((tool) => tool.server === name && !/__(?:read|watch)_resource$/.test(tool.name))
    .map((tool) => tool.name);
}

function startCall(name: string, input: Json): Promise<RunView> {
  return api.post(`/v1/tools/${name}/call`, { arguments: input });
}

/** The call as it ended. */
async function call(name: string, input: Json): Promise<ToolCallView> {
  const { id } = await startCall(name, input);
  await api.settled(id);
  const [made] = await api.toolCalls(id);
  if (made === undefined) throw new Error(`the run ${id} has no call`);
  return made;
}

test.each(NAMES)('%s: its tools are offered exactly as in a direct listing', async (name) => {
  await expect
    .poll(async () => (await statusOf(name))['state'], { interval, timeout: 20_000 })
    .toBe('ready');
  const expected = name === 'mcp-remote' ? ['double'] : listings[name].tools;
  expect(expected).not.toEqual([]);
  expect((await toolNames(name)).toSorted()).toEqual(
    expected.map((tool) => `${name}__${tool}`).toSorted(),
  );
});

test('the direct listings were made with the installed versions; node src/third-party/record-listings.ts makes them', () => {
  const versions = Object.entries(listings).map(([name, { version }]) => [name, version]);
  expect(Object.fromEntries(versions)).toEqual(
    Object.fromEntries(
      (Object.keys(thirdPartyServers) as ThirdParty[]).map((name) => [
        name,
        installedVersion(name),
      ]),
    ),
  );
});

describe('a call', () => {
  test.each([
    ['everything__echo', { message: 'hello' }, 'hello'],
    [
      'memory__create_entities',
      { entities: [{ name: 'Ada', entityType: 'person', observations: ['wrote a program'] }] },
      'Ada',
    ],
    [
      'sequential-thinking__sequentialthinking',
      { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      'thoughtNumber',
    ],
    ['filesystem__list_allowed_directories', {}, 'signalbox-e2e-'],
    ['chart__generate_pie_chart', { data: [{ category: 'a', value: 1 }] }, 'chart.png'],
    ['notion__API-retrieve-page-markdown', { page_id: PAGE_ID }, PAGE_ID],
    ['mcp-remote__double', { number: 21 }, 'twice is 42'],
  ])('%s succeeds', async (name, input, text) => {
    const made = await call(name, input);
    expect({ state: made.state, result: JSON.stringify(made['result']) }).toEqual({
      state: 'succeeded',
      result: expect.stringContaining(text) as string,
    });
  });

  test.each([
    ['nx__nx_docs', { userQuery: 'generators' }, /fetch|network|connect/i],
    ['playwright__browser_navigate', { url: 'http://127.0.0.1:9/' }, /no-browser-here/],
  ])(
    '%s, whose server lacks what it needs, fails with the reason of the server',
    async (name, input, reason) => {
      const made = await call(name, input);
      expect({ state: made.state, result: JSON.stringify(made['result']) }).toEqual({
        state: 'failed',
        result: expect.stringMatching(reason) as string,
      });
    },
  );

  test('that is cancelled ends at once, and its server continues', async () => {
    const { id } = await startCall('everything__trigger-long-running-operation', {
      duration: 60,
      steps: 60,
    });
    await api.waitFor(id, (event) => event.type === 'tool_call.dispatched');
    await api.post(`/v1/runs/${id}/cancel`);
    expect(await api.settled(id)).toMatchObject({ status: 'cancelled' });
    expect(await call('everything__echo', { message: 'still here' })).toMatchObject({
      state: 'succeeded',
    });
  });
});

test('each server is restarted when its process was killed', async () => {
  const killed = await Promise.all(NAMES.map(statusOf));
  const killedPids = new Set(killed.map(({ pid }) => pid));
  for (const pid of killedPids) process.kill(Number(pid), 'SIGKILL');
  await expect
    .poll(
      async () => {
        const { data: again } = await api.get<{ readonly data: readonly Json[] }>('/v1/servers');
        return again
          .filter(({ state, pid }) => state !== 'ready' || killedPids.has(pid))
          .map(({ name }) => name);
      },
      { interval, timeout: 150_000 },
    )
    .toEqual([]);
});
