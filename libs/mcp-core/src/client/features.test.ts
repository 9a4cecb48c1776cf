import { describe, expect, test } from 'vitest';
import { metaOf } from '../era/meta-keys.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Client } from './client.ts';
import { collectPages } from './requests/pagination.ts';
import { connectClient } from './connect-client.ts';
import {
  discovered,
  initialized,
  ScriptedServer,
  type Step,
} from './testing/scripted-server.test.support.ts';

async function connect(
  script: { [method: string]: Step },
  era: 'legacy' | 'modern' = 'legacy',
): Promise<{ readonly client: Client; readonly server: ScriptedServer }> {
  const server = new ScriptedServer({
    initialize: initialized(),
    'server/discover': discovered,
    ...script,
  });
  return {
    server,
    client: await connectClient(() => server, { info: { name: 't', version: '0' }, era }),
  };
}

function paramsOf(server: ScriptedServer, method: string): JsonObject {
  const { _meta: _, ...params } = server.all(method)[0]!.params!;
  return params;
}

describe('prompts', () => {
  test('are listed and fetched', async () => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Hi' } }];
    const { client, server } = await connect({
      'prompts/list': () => ({ result: { prompts: [{ name: 'p' }] } }),
      'prompts/get': () => ({ result: { description: 'D', messages } }),
    });
    expect(await client.listPrompts()).toEqual([{ name: 'p' }]);
    expect(await client.getPrompt('p', { a: 'b' })).toEqual({ description: 'D', messages });
    expect(paramsOf(server, 'prompts/get')).toEqual({ name: 'p', arguments: { a: 'b' } });
  });

  test('of a server without prompts are an empty list', async () => {
    const { client } = await connect({
      initialize: () => ({ result: { protocolVersion: '2025-11-25', capabilities: {} } }),
    });
    expect(await client.listPrompts()).toEqual([]);
    await expect(client.getPrompt('p')).rejects.toMatchObject({ code: 'capability-missing' });
  });

  test('without messages are refused', async () => {
    const { client } = await connect({ 'prompts/get': () => ({ result: { messages: 'none' } }) });
    await expect(client.getPrompt('p')).rejects.toMatchObject({ code: 'invalid-response' });
  });
});

describe('completion', () => {
  const initialize = () => ({
    result: { protocolVersion: '2025-11-25', capabilities: { completions: {} } },
  });

  test('sends the values that were chosen before', async () => {
    const completion = { values: ['Berlin'], total: 1, hasMore: false };
    const { client, server } = await connect({
      initialize,
      'completion/complete': () => ({ result: { completion } }),
    });
    const ref = { type: 'ref/prompt', name: 'p' } as const;
    expect(
      await client.complete(ref, { name: 'city', value: 'B' }, { chosen: { country: 'DE' } }),
    ).toEqual(completion);
    expect(paramsOf(server, 'completion/complete')).toEqual({
      ref,
      argument: { name: 'city', value: 'B' },
      context: { arguments: { country: 'DE' } },
    });
  });

  test('is requested only from a server that declares it, or of the first revision, which cannot declare it', async () => {
    const ask = (protocolVersion: string) =>
      connect({
        initialize: () => ({ result: { protocolVersion, capabilities: {} } }),
        'completion/complete': () => ({ result: { completion: { values: [] } } }),
      });
    const [first, later] = await Promise.all([ask('2024-11-05'), ask('2025-03-26')]);
    const params = [
      { type: 'ref/prompt', name: 'p' },
      { name: 'a', value: '' },
    ] as const;
    expect(await first.client.complete(...params)).toEqual({ values: [] });
    await expect(later.client.complete(...params)).rejects.toMatchObject({
      code: 'capability-missing',
    });
  });

  test.each([{}, { completion: {} }, { completion: { values: [1] } }])(
    'that answers %j is refused',
    async (result) => {
      const { client } = await connect({ initialize, 'completion/complete': () => ({ result }) });
      await expect(
        client.complete({ type: 'ref/resource', uri: 'a:{b}' }, { name: 'b', value: '' }),
      ).rejects.toMatchObject({ code: 'invalid-response' });
    },
  );
});

describe('the log level', () => {
  test('of a legacy session is set by a request', async () => {
    const { client, server } = await connect({ 'logging/setLevel': () => ({ result: {} }) });
    await client.setLogLevel('error');
    expect(paramsOf(server, 'logging/setLevel')).toEqual({ level: 'error' });
  });

  test('of the modern era is sent with each later request', async () => {
    const { client, server } = await connect(
      { 'prompts/list': () => ({ result: { prompts: [] } }) },
      'modern',
    );
    await client.listPrompts();
    await client.setLogLevel('debug');
    await client.listPrompts();
    expect(
      server
        .all('prompts/list')
        .map(({ params }) => metaOf(params)['io.modelcontextprotocol/logLevel']),
    ).toEqual([undefined, 'debug']);
  });

  test('needs a legacy server with logging', async () => {
    const { client } = await connect({
      initialize: () => ({ result: { protocolVersion: '2025-11-25', capabilities: {} } }),
    });
    await expect(client.setLogLevel('error')).rejects.toMatchObject({ code: 'capability-missing' });
  });
});

describe('a list without end', () => {
  test.each<[string, (page: number) => JsonObject]>([
    ['of pages', (page) => ({ items: [], nextCursor: `${page}` })],
    [
      'of items',
      (page) => ({ items: Array.from({ length: 100_000 }).fill(0), nextCursor: `${page}` }),
    ],
    ['of text', (page) => ({ items: ['x'.repeat(10_000_000)], nextCursor: `${page}` })],
  ])('%s is rejected', async (_name, fetchPage) => {
    let page = 0;
    await expect(
      collectPages('items', () => Promise.resolve(fetchPage(page++))),
    ).rejects.toMatchObject({ code: 'invalid-response' });
    expect(page).toBeLessThanOrEqual(10_000);
  });
});
