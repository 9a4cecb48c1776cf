import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Era, Transport } from '@signalbox/mcp-core';
import { defineClientMethod, type ClientOptions } from '@signalbox/mcp-core/client';
import type { Server } from '@signalbox/mcp-core/server';
import { connectInMemory, createInMemoryTransports } from '@signalbox/mcp-core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEverythingServer } from './everything-server.ts';
import { connectProxy } from './proxy.ts';

/** No test fails by its speed on a loaded machine. */
const unhurried = { interval: 5, timeout: 60_000 };

async function open(server: Server): Promise<Transport> {
  const [ofClient, ofServer] = createInMemoryTransports();
  await server.connect(ofServer);
  return ofClient;
}

async function connect(from: Era, to: Era, options: Partial<ClientOptions> = {}) {
  const effects: string[] = [];
  const server = createEverythingServer(effects);
  const proxy = await connectProxy({
    open: () => open(server),
    era: to,
  });
  const client = await connectInMemory(proxy.server, {
    info: { name: 'test', version: '1' },
    era: from,
    ...options,
  });
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
  });
  return { client, effects, proxy };
}

const handlers: ClientOptions['handlers'] = {
  elicit: () => Promise.resolve({ action: 'accept', content: { city: 'Rome' } }),
  sample: () =>
    Promise.resolve({ role: 'assistant', content: { type: 'text', text: 'Yes.' }, model: 'm' }),
  listRoots: () => Promise.resolve([{ uri: 'file:///home' }]),
};

describe.each([
  ['legacy', 'modern'],
  ['modern', 'legacy'],
] as const)('a %s client of a %s server', (from, to) => {
  test('gets its lists, contents, completions, instructions and extensions', async () => {
    const { client } = await connect(from, to);
    expect(client.server.info?.name).toBe('everything');
    expect(client.server.instructions).toBe('Be kind.');
    expect(client.server.capabilities.extensions).toMatchObject({
      'com.acme/echo': { loud: true },
    });
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toEqual(['book', 'change', 'cook', 'wait']);
    expect(await client.listPrompts()).toMatchObject([{ name: 'greet' }]);
    expect(await client.listResources()).toMatchObject([{ uri: 'note://1' }]);
    expect(await client.listResourceTemplates()).toMatchObject([{ uriTemplate: 'log://{day}' }]);
    expect(await client.readResource('log://today')).toMatchObject([{ text: 'today' }]);
    expect(await client.getPrompt('greet', { who: 'Ada' })).toMatchObject({
      messages: [{ content: { text: 'Greet Ada.' } }],
    });
    const ref = { type: 'ref/prompt', name: 'greet' } as const;
    expect(await client.complete(ref, { name: 'who', value: 'A' })).toMatchObject({
      values: ['Ada', 'Ann'],
    });
    await expect(client.readResource('note://2')).rejects.toThrow('note://2');
    await expect(client.callTool('no_such_tool', {})).rejects.toThrow('no_such_tool');
  });

  test('answers the input requests of a call, which the server runs once', async () => {
    const logs: unknown[] = [];
    const progress: unknown[] = [];
    const { client, effects } = await connect(from, to, {
      handlers,
      events: { onLog: ({ data }) => logs.push(data) },
    });
    const result = await client.callTool('book', {}, { onProgress: (p) => progress.push(p) });
    expect(result.content).toMatchObject([
      { text: '[{"city":"Rome"},{"type":"text","text":"Yes."},["file:///home"]]' },
    ]);
    expect(effects).toEqual(['start', 'booked']);
    expect(progress).toEqual([{ progress: 1, message: 'asking' }, { progress: 2 }]);
    expect(logs).toEqual(['asking', 'booked']);
  });

  test('answers the input requests of a resource, and of calls that run at the same time', async () => {
    const { client, effects } = await connect(from, to, { handlers });
    const calls = await Promise.all([
      client.callTool('book', {}),
      client.callTool('book', {}),
      client.readResource('note://1'),
    ]);
    expect(calls[2]).toMatchObject([{ text: 'Secret, accept' }]);
    expect(calls[0]).toEqual(calls[1]);
    expect(effects.toSorted()).toEqual(['booked', 'booked', 'start', 'start']);
  });

  test('cannot answer input requests without handlers, and gets the error of the server', async () => {
    const { client } = await connect(from, to);
    const refused = client
      .callTool('book', {})
      .then(({ content }) => JSON.stringify(content), String);
    expect(await refused).toContain('a client with the capability elicitation.form');
    await expect(client.readResource('note://1')).rejects.toThrow('elicitation');
    await expect(client.request('acme/unknown')).rejects.toMatchObject({ code: -32601 });
  });

  test('cancels a call in the server', async () => {
    const { client, effects } = await connect(from, to);
    const cancel = new AbortController();
    const call = client.callTool(
      'wait',
      {},
      { signal: cancel.signal, onProgress: () => cancel.abort() },
    );
    await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
    await expect.poll(() => effects, unhurried).toEqual(['cancelled']);
  });

  test('is notified of changes', async () => {
    const { client } = await connect(from, to);
    const changes: string[] = [];
    const watch = await client.watch({
      onToolsChanged: () => changes.push('tools'),
      onPromptsChanged: () => changes.push('prompts'),
      onResourcesChanged: () => changes.push('resources'),
      resources: ['note://1'],
      onResourceUpdated: (uri) => changes.push(uri),
    });
    await client.callTool('change', {});
    await expect
      .poll(() => changes.toSorted(), unhurried)
      .toEqual(['note://1', 'prompts', 'resources', 'tools']);
    expect((await client.listTools()).map(({ name }) => name)).toContain('new');
    await watch.close();
  });

  test('uses custom methods and gets custom notifications', async () => {
    const notified: unknown[] = [];
    const { client } = await connect(from, to, {
      extensions: { notifications: { 'acme/echoed': (params) => notified.push(params) } },
    });
    expect(await client.request('acme/echo', { a: 1 })).toMatchObject({ params: { a: 1 } });
    expect(notified).toEqual([{ by: 'everything' }]);
  });

  test('gets a task for a task of the server', async () => {
    const statuses: string[] = [];
    const { client } = await connect(from, to, { handlers });
    await client.listTools();
    const result = await client.callTool(
      'cook',
      {},
      {
        task: { request: {}, onTask: ({ status }) => statuses.push(status) },
      },
    );
    expect(result.content).toMatchObject([{ text: 'Cooked, accept.' }]);
    expect(statuses.at(0)).toBe('working');
  });
});

test('a legacy client gets the custom requests of a legacy server', async () => {
  const { client } = await connect('legacy', 'legacy', {
    extensions: {
      methods: { 'acme/ask': defineClientMethod({ handler: (params) => ({ asked: params }) }) },
    },
  });
  expect(await client.request('acme/relay', { a: 1 })).toEqual({ asked: { a: 1 } });
});

test('npm start prints the output of the README, over HTTP', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'main.ts'),
  ]);
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`\n${stdout}\`\`\`\n`);
});
