import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ClientV1, StdioClientTransportV1 } from '../../peers/src/sdk-v1-clients.ts';
import { ClientV2 } from '../../peers/src/sdk-v2-clients.ts';
import { StdioClientTransportV2 } from '../../peers/src/sdk-v2.ts';
import { compileCache } from './compile-cache.ts';

const UI = 'io.modelcontextprotocol/ui';
const MIME_TYPE = 'text/html;profile=mcp-app';
const URI = 'ui://votes/results';
const info = { name: 'host', version: '1.0.0' };
const capabilities = { extensions: { [UI]: { mimeTypes: [MIME_TYPE] } } };
const votes = {
  command: process.execPath,
  args: [
    '--conditions=@signalbox/source',
    join(import.meta.dirname, '../../../examples/mcp-apps/src/serve.ts'),
  ],
  env: compileCache,
};

async function connectV1(declared: object): Promise<ClientV1> {
  const client = new ClientV1(info, { capabilities: declared });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransportV1(votes));
  return client;
}

async function connectV2(declared: object): Promise<ClientV2> {
  const client = new ClientV2(info, {
    capabilities: declared,
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransportV2(votes));
  return client;
}

describe.each([
  ['SDK v1 in the legacy era', connectV1],
  ['SDK v2 in the modern era', connectV2],
])('the MCP Apps example and the client of %s', (_library, connect) => {
  test('negotiate the extension, link tools to views, and read the views', async () => {
    const client = await connect(capabilities);
    expect(client.getServerCapabilities()).toMatchObject({ extensions: { [UI]: {} } });
    const { tools } = await client.listTools();
    expect(tools.map(({ name, _meta: meta }) => [name, meta])).toEqual([
      ['cast_vote', { ui: { resourceUri: URI, visibility: ['app'] } }],
      ['show_votes', { ui: { resourceUri: URI } }],
    ]);
    expect(
      await client.callTool({ name: 'cast_vote', arguments: { choice: 'tea' } }),
    ).toMatchObject({ structuredContent: { votes: { tea: 1, coffee: 0 } } });
    const { contents } = await client.readResource({ uri: URI });
    expect(contents).toMatchObject([
      { uri: URI, mimeType: MIME_TYPE, _meta: { ui: { prefersBorder: true } } },
    ]);
    expect(contents[0]).toHaveProperty('text', expect.stringContaining('<!doctype html>'));
  });

  test('use tools without views when the client does not declare the extension', async () => {
    const client = await connect({});
    const { tools } = await client.listTools();
    expect(tools.map(({ name, _meta: meta }) => [name, meta])).toEqual([['show_votes', undefined]]);
  });
});
