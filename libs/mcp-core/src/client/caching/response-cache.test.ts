import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Client } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import { ResponseCache } from './response-cache.ts';
import {
  discovered,
  initialized,
  ScriptedServer,
  type Step,
} from '../testing/scripted-server.test.support.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

type Script = { [method: string]: Step };

async function connect(
  script: Script,
  options: Partial<ClientOptions> = {},
): Promise<{ readonly client: Client; readonly server: ScriptedServer }> {
  const server = new ScriptedServer({
    'server/discover': discovered,
    initialize: initialized(),
    ...script,
  });
  return {
    server,
    client: await connectClient(() => server, {
      info: { name: 't', version: '0' },
      era: 'modern',
      ...options,
    }),
  };
}

const fresh = (ttlMs: unknown, cacheScope = 'private'): JsonObject => ({ ttlMs, cacheScope });
const read =
  (hints: JsonObject): Step =>
  ({ params }) => ({ result: { contents: [{ uri: params!.uri, text: 'A' }], ...hints } });
const tools =
  (hints: JsonObject): Step =>
  () => ({ result: { tools: [{ name: 'a', inputSchema: {} }], ...hints } });

describe('a result that may be kept', () => {
  test('is used until its time is over', async () => {
    const { client, server } = await connect({ 'resources/read': read(fresh(1000)) });
    const first = await client.readResource('file:///a');
    await vi.advanceTimersByTimeAsync(999);
    expect(await client.readResource('file:///a')).toEqual(first);
    expect(server.all('resources/read')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await client.readResource('file:///a');
    expect(server.all('resources/read')).toHaveLength(2);
  });

  test('is used for the same request only, each page for itself', async () => {
    const pages: { [cursor: string]: JsonObject } = {
      '': { resources: [{ uri: 'a:1', name: '1' }], nextCursor: 'z', ...fresh(100) },
      z: { resources: [{ uri: 'a:2', name: '2' }], ...fresh(1000) },
    };
    const { client, server } = await connect({
      'resources/list': ({ params }) => ({
        result: pages[(params!.cursor as string | undefined) ?? '']!,
      }),
      'resources/read': read(fresh(1000)),
    });
    await client.listResources();
    await vi.advanceTimersByTimeAsync(100);
    expect(await client.listResources()).toHaveLength(2);
    expect(server.all('resources/list').map(({ params }) => params!.cursor)).toEqual([
      undefined,
      'z',
      undefined,
    ]);
    await client.readResource('file:///a');
    await client.readResource('file:///b');
    expect(server.all('resources/read')).toHaveLength(2);
  });

  test('is discarded when the server refuses the cursor that it named', async () => {
    let generation = 1;
    const { client, server } = await connect({
      'prompts/list': ({ params: { cursor } = {} }) => {
        const last = { prompts: [{ name: `last of ${generation}` }], ...fresh(0) };
        if (cursor === `cursor of ${generation}`) return { result: last };
        if (cursor !== undefined)
          return { error: { code: -32602, message: 'Invalid params: unknown cursor' } };
        const first = { prompts: [{ name: 'first' }], nextCursor: `cursor of ${generation}` };
        return { result: { ...first, ...fresh(60_000) } };
      },
    });
    await client.listPrompts();
    generation = 2;
    expect(await client.listPrompts()).toEqual([{ name: 'first' }, { name: 'last of 2' }]);
    generation = 3;
    const pages = client.pages.prompts();
    await pages.next();
    await expect(pages.next()).rejects.toMatchObject({ code: -32602 });
    expect((await client.pages.prompts().next()).value).toMatchObject({
      nextCursor: 'cursor of 3',
    });
    expect(server.all('prompts/list')).toHaveLength(7);
  });

  test.each([0, -1, undefined, null, '1000', Number.NaN])(
    'says so with a time; %j is none',
    async (ttlMs) => {
      const { client, server } = await connect({ 'resources/read': read(fresh(ttlMs)) });
      await client.readResource('file:///a');
      await client.readResource('file:///a');
      expect(server.all('resources/read')).toHaveLength(2);
    },
  );

  test('is requested again when the caller bypasses the cache', async () => {
    const { client, server } = await connect({ 'resources/read': read(fresh(1000)) });
    await client.readResource('file:///a', { cache: 'none' });
    await client.readResource('file:///a');
    await client.readResource('file:///a', { cache: 'refresh' });
    await client.readResource('file:///a');
    expect(server.all('resources/read')).toHaveLength(3);
  });

  test('is private to its authorization context, unless it is public', async () => {
    let user = 'ann';
    const { client, server } = await connect(
      { 'resources/read': read(fresh(1000)), 'tools/list': tools(fresh(1000, 'public')) },
      { cache: { authorization: () => user } },
    );
    const both = async (): Promise<void> => {
      await client.readResource('file:///a');
      await client.listTools();
    };
    await both();
    user = 'bob';
    await both();
    user = 'ann';
    await both();
    expect([server.all('resources/read').length, server.all('tools/list').length]).toEqual([2, 1]);
  });

  test('is requested when its credentials cannot be obtained in time', async () => {
    const cache = new ResponseCache();
    const ticket = cache.ticket('resources/read', { uri: 'file:///a' });
    cache.store(ticket, 'ann', { contents: [], ...fresh(60_000) });
    const found = cache.find(ticket, () => new Promise<string>(() => undefined));
    await vi.advanceTimersByTimeAsync(3000);
    expect(await found).toBeUndefined();
    expect(cache.find(ticket, () => 'ann')).toMatchObject({ contents: [] });
  });

  test('gives way when the cache is full', async () => {
    for (const cache of [{ maxEntries: 2 }, { maxCharacters: 200 }]) {
      const { client, server } = await connect({ 'resources/read': read(fresh(1000)) }, { cache });
      for (const name of ['a', 'b', 'c', 'b', 'a']) await client.readResource(`file:///${name}`);
      expect(server.all('resources/read').map(({ params }) => params!.uri)).toEqual(
        ['a', 'b', 'c', 'a'].map((name) => `file:///${name}`),
      );
    }
  });

  test('is not kept by a cache of no size', async () => {
    const { client, server } = await connect(
      { 'resources/read': read(fresh(1000)) },
      { cache: { maxEntries: 0 } },
    );
    await client.readResource('file:///a');
    await client.readResource('file:///a');
    expect(server.all('resources/read')).toHaveLength(2);
  });

  test('does not come from a retry with answers', async () => {
    const answers: JsonObject[] = [{ resultType: 'input_required', requestState: 's' }];
    const { client, server } = await connect({
      'resources/read': (request) =>
        answers.length > 0 ? { result: answers.shift()! } : read(fresh(1000))(request),
    });
    await client.readResource('file:///a');
    await client.readResource('file:///a');
    expect(server.all('resources/read')).toHaveLength(3);
  });
});

describe('a change', () => {
  const script: Script = {
    'tools/list': tools(fresh(60_000)),
    'resources/read': read(fresh(60_000)),
    'resources/list': () => ({ result: { resources: [], ...fresh(60_000) } }),
  };

  async function asked(
    change: (server: ScriptedServer) => void,
  ): Promise<readonly (string | undefined)[]> {
    const { client, server } = await connect(script);
    const all = async (): Promise<void> => {
      await client.listTools();
      await client.listResources();
      await client.readResource('file:///a/b');
    };
    await all();
    change(server);
    const before = server.received.length;
    await all();
    return server.received.slice(before).map(({ method }) => method);
  }

  test.each<[string, JsonObject, readonly string[]]>([
    ['tools/list_changed', {}, ['tools/list']],
    ['resources/list_changed', {}, ['resources/list']],
    ['resources/updated', { uri: 'file:///a/b' }, ['resources/read']],
    ['resources/updated', { uri: 'file:///a/b/c' }, ['resources/read']],
    ['resources/updated', { uri: 'file:///a' }, ['resources/read']],
    ['resources/updated', { uri: 'file:///a/bc' }, []],
    ['prompts/list_changed', {}, []],
  ])('%s %j invalidates the affected results', async (method, params, expected) => {
    expect(await asked((server) => server.notify(`notifications/${method}`, params))).toEqual(
      expected,
    );
  });

  test('that arrives before the result of an earlier request prevents caching of that result', async () => {
    const { client, server } = await connect({});
    const list = client.listTools();
    const { id } = await server.receives('tools/list');
    server.notify('notifications/tools/list_changed', {});
    server.deliver({ id, result: { tools: [], ...fresh(60_000) } });
    await list;
    void client.listTools();
    expect(await server.receives('tools/list', 2)).toBeDefined();
  });
});
