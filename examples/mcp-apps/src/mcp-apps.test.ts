import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineTool } from '@signalbox/mcp-core/server';
import type { JsonObject, Tool } from '@signalbox/mcp-core';
import type { Client } from '@signalbox/mcp-core/client';
import { connectInMemory } from '@signalbox/mcp-core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { contentSecurityPolicy } from './content-security-policy.ts';
import { UI_EXTENSION, UI_MIME_TYPE } from './ui-extension.ts';
import { connectView, loadView, modelTools, viewCapabilities } from './view-host.ts';
import { serveViews, withUi } from './views.ts';
import { createVotesServer } from './votes-server.ts';

const info = { name: 'host', version: '1.0.0' };
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

async function connect(
  era: 'modern' | 'legacy',
  capabilities: typeof viewCapabilities = viewCapabilities,
): Promise<Client> {
  const client = await connectInMemory(createVotesServer(['tea', 'coffee']), {
    info,
    era,
    capabilities,
  });
  onTestFinished(() => client.close());
  return client;
}

async function toolNamed(client: Client, name: string): Promise<Tool> {
  const tool = (await client.listTools()).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

/** Opens the view of `show_votes` and returns a function that sends its messages. */
async function open(client: Client) {
  const posted: JsonObject[] = [];
  const received: unknown[] = [];
  const tool = await toolNamed(client, 'show_votes');
  const result = await client.callTool('show_votes', {});
  const view = await connectView(
    client,
    { tool, args: {}, result },
    {
      port: { postMessage: (message) => posted.push(message) },
      events: {
        onMessage: (params) => received.push(params),
        onOpenLink: (url) => received.push(url),
      },
    },
  );
  const ask = async (method: string, params: JsonObject = {}): Promise<JsonObject> => {
    await view.received({ jsonrpc: '2.0', id: 1, method, params });
    return posted.at(-1) ?? {};
  };
  return { view, posted, received, ask };
}

describe.each(['modern', 'legacy'] as const)('MCP Apps, %s', (era) => {
  test('a host and a server declare the extension to each other', async () => {
    const client = await connect(era);
    expect(client.server.capabilities.extensions).toHaveProperty([UI_EXTENSION]);
    const tools = await client.listTools();
    expect(tools.map(({ name, _meta: meta }) => [name, meta])).toEqual([
      ['cast_vote', { ui: { resourceUri: 'ui://votes/results', visibility: ['app'] } }],
      ['show_votes', { ui: { resourceUri: 'ui://votes/results' } }],
    ]);
    expect(modelTools(tools).map(({ name }) => name)).toEqual(['show_votes']);
  });

  test('a host without the extension gets the tools of the model, without views', async () => {
    const client = await connect(era, {});
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['show_votes']);
    expect(tools[0]).not.toHaveProperty('_meta');
    expect(await client.callTool('show_votes', {})).toMatchObject({
      content: [{ type: 'text', text: '{"votes":{"tea":0,"coffee":0}}' }],
    });
  });

  test('the view of a tool is loaded with its policy', async () => {
    const client = await connect(era);
    const view = await loadView(client, await toolNamed(client, 'show_votes'));
    expect(view).toMatchObject({ prefersBorder: true });
    expect(view?.html).toContain('<!doctype html>');
    expect(view?.policy).toContain(`connect-src 'none'`);
  });

  test('a view gets the call, and calls tools of the server', async () => {
    const { ask, view, posted } = await open(await connect(era));
    expect(await ask('ui/initialize', { protocolVersion: '2026-01-26' })).toMatchObject({
      result: { hostContext: { toolInfo: { tool: { name: 'show_votes' } } } },
    });
    await view.received({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
    expect(posted.slice(1)).toMatchObject([
      { method: 'ui/notifications/tool-input', params: { arguments: {} } },
      {
        method: 'ui/notifications/tool-result',
        params: { structuredContent: { votes: { tea: 0, coffee: 0 } } },
      },
    ]);
    expect(
      await ask('tools/call', { name: 'cast_vote', arguments: { choice: 'tea' } }),
    ).toMatchObject({ id: 1, result: { structuredContent: { votes: { tea: 1, coffee: 0 } } } });
    expect(await ask('resources/read', { uri: 'ui://votes/results' })).toMatchObject({
      result: { contents: [{ mimeType: UI_MIME_TYPE }] },
    });
  });

  test('a view is refused what it must not do', async () => {
    const { ask, received, view, posted } = await open(await connect(era));
    expect(await ask('ui/initialize')).toMatchObject({ error: { code: -32602 } });
    expect(await ask('tools/call', { name: 'other' })).toMatchObject({ error: { code: -32602 } });
    expect(await ask('resources/read', { uri: 'ui://other' })).toMatchObject({
      error: { code: -32002 },
    });
    expect(await ask('ui/open-link', { url: 'file:///etc/passwd' })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await ask('ui/unknown')).toMatchObject({ error: { code: -32601 } });
    await ask('ui/open-link', { url: 'https://example.com/' });
    await ask('ui/message', { role: 'user' });
    expect(received).toEqual(['https://example.com/', { role: 'user' }]);
    view.close();
    const count = posted.length;
    await ask('ping');
    expect(posted).toHaveLength(count);
  });
});

test('a list that depends on the client is private to it', async () => {
  const response = await createVotesServer([]).handle(
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': viewCapabilities,
        },
      },
    },
    { signal: new AbortController().signal, notify: () => Promise.resolve() },
  );
  expect(response).toMatchObject({ result: { cacheScope: 'private' } });
});

test('a tool cannot be linked to a view that the server does not have', () => {
  const tool = defineTool({
    name: 'lost',
    description: 'Lost',
    inputSchema: { type: 'object' },
    annotations,
    handler: () => 'x',
  });
  expect(() => serveViews([], [withUi(tool, { resourceUri: 'ui://lost' })])).toThrow(
    'lost is linked to ui://lost',
  );
});

test('a view cannot add directives to its policy', () => {
  const policy = contentSecurityPolicy({
    csp: {
      connectDomains: ['https://api.example.com', `https://x; script-src *`, 'data:'],
      resourceDomains: ['https://*.example.com'],
    },
  });
  expect(policy).toContain('connect-src https://api.example.com;');
  expect(policy).toContain(`font-src 'self' https://*.example.com;`);
  expect(policy).not.toContain('script-src *');
});

test('npm start prints the output of the README', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@signalbox/source',
    join(import.meta.dirname, 'main.ts'),
  ]);
  expect(stdout).toContain('2026-07-28: the model calls show_votes\n');
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`\n${stdout}\`\`\`\n`);
});
