import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Client } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import {
  discovered,
  initialized,
  ScriptedServer,
  type Step,
} from '../testing/scripted-server.test.support.ts';

interface Connected {
  readonly client: Client;
  readonly server: ScriptedServer;
}

/** Serves these pages; the cursor of a page is its number. */
function paged(member: string, pages: readonly (readonly JsonObject[])[]): Step {
  return ({ params = {} }) => {
    const number = Number(params.cursor ?? '0');
    const nextCursor = number + 1 < pages.length ? { nextCursor: String(number + 1) } : {};
    return { result: { resultType: 'complete', [member]: pages[number], ...nextCursor } };
  };
}

async function connect(
  era: 'legacy' | 'modern',
  script: { readonly [method: string]: Step },
  options: Partial<ClientOptions> = {},
): Promise<Connected> {
  const server = new ScriptedServer({
    initialize: initialized(),
    'server/discover': discovered,
    ...script,
  });
  const info = { name: 't', version: '0' };
  const client = await connectClient(() => server, { info, era, ...options });
  onTestFinished(() => client.close());
  return { client, server };
}

const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
});

async function collect<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

describe.each(['legacy', 'modern'] as const)('the pages of a list (%s)', (era) => {
  test.each([
    ['prompts', 'prompts/list', (client: Client) => client.pages.prompts()],
    ['resources', 'resources/list', (client: Client) => client.pages.resources()],
    [
      'resourceTemplates',
      'resources/templates/list',
      (client: Client) => client.pages.resourceTemplates(),
    ],
    ['tools', 'tools/list', (client: Client) => client.pages.tools()],
  ])('of %s come one by one', async (member, method, pagesOf) => {
    const { client, server } = await connect(era, {
      [method]: paged(member, [[tool('a'), tool('b')], [], [tool('c')]]),
    });
    const pages = await collect<{ readonly items: readonly { readonly name: string }[] }>(
      pagesOf(client),
    );
    expect(pages.map(({ items }) => items.map(({ name }) => name))).toEqual([
      ['a', 'b'],
      [],
      ['c'],
    ]);
    expect(pages.map((page) => 'nextCursor' in page)).toEqual([true, true, false]);
    expect(server.all(method).map(({ params }) => params?.cursor)).toEqual([undefined, '1', '2']);
  });

  test('are requested when they are read, and no more after a break', async () => {
    const { client, server } = await connect(era, {
      'tools/list': paged('tools', [[tool('a')], [tool('b')], [tool('c')]]),
    });
    const seen: string[] = [];
    for await (const { items } of client.pages.tools()) {
      seen.push(...items.map(({ name }) => name));
      if (seen.includes('b')) break;
    }
    expect(seen).toEqual(['a', 'b']);
    expect(server.all('tools/list')).toHaveLength(2);
  });

  test('are listed from the beginning again, once, when the server refuses a cursor', async () => {
    const refused = { error: { code: -32602, message: 'Invalid params: unknown cursor' } };
    let refusals = 1;
    const { client, server } = await connect(era, {
      'prompts/list': (request) => {
        const isRefused = request.params?.cursor !== undefined && refusals-- > 0;
        return isRefused ? refused : paged('prompts', [[tool('a')], [tool('b')]])(request);
      },
    });
    expect(await client.listPrompts()).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(server.all('prompts/list')).toHaveLength(4);
    refusals = 2;
    await expect(client.listPrompts()).rejects.toMatchObject({ code: -32602 });
    expect(server.all('prompts/list')).toHaveLength(8);
  });

  test('continue from the cursor of an earlier page', async () => {
    const { client } = await connect(era, {
      'tools/list': paged('tools', [[tool('a')], [tool('b')], [tool('c')]]),
    });
    const first = await client.pages.tools().next();
    const rest = await collect(client.pages.tools({ cursor: first.value?.nextCursor ?? 'none' }));
    expect(rest.flatMap(({ items }) => items.map(({ name }) => name))).toEqual(['b', 'c']);
  });

  test('end with an error when the server repeats a cursor', async () => {
    const { client, server } = await connect(era, {
      'prompts/list': () => ({ result: { prompts: [tool('a')], nextCursor: 'again' } }),
    });
    const pages = client.pages.prompts({ cursor: 'again' });
    expect((await pages.next()).value).toMatchObject({ items: [{ name: 'a' }] });
    await expect(pages.next()).rejects.toMatchObject({ code: 'invalid-response' });
    expect(server.all('prompts/list')).toHaveLength(1);
    expect(await pages.next()).toMatchObject({ done: true });
  });

  test('end with an error when the server sends very long cursors', async () => {
    let pages = 0;
    const { client } = await connect(era, {
      'tools/list': () => {
        pages += 1;
        const nextCursor = String(pages).padEnd(1024 * 1024, '.');
        return { result: { resultType: 'complete', tools: [], nextCursor } };
      },
    });
    await expect(collect(client.pages.tools())).rejects.toMatchObject({ code: 'invalid-response' });
    expect(pages).toBe(5);
  });

  test('end when their signal aborts', async () => {
    const { client } = await connect(era, { 'prompts/list': paged('prompts', [[], []]) });
    const stop = new AbortController();
    const pages = client.pages.prompts({ signal: stop.signal });
    await pages.next();
    stop.abort();
    await expect(pages.next()).rejects.toMatchObject({ code: 'request-cancelled' });
  });
});

test('a server without the capability has no pages and gets no request', async () => {
  const { client, server } = await connect('modern', {
    'server/discover': (request) => {
      const { result } = discovered(request) as { readonly result: JsonObject };
      return { result: { ...result, capabilities: {} } };
    },
  });
  expect(await collect(client.pages.resources())).toEqual([]);
  expect(server.all('resources/list')).toEqual([]);
});

test('results of the tools of a page are validated until the list changes', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const { client, server } = await connect('legacy', {
    'tools/list': paged('tools', [
      [tool('a', { outputSchema })],
      [tool('b', { outputSchema })],
      [tool('c', { outputSchema })],
    ]),
    'tools/call': () => ({ result: { content: [], structuredContent: { n: 'text' } } }),
    ping: () => ({ result: {} }),
  });
  const isValidated = (name: string): Promise<boolean> =>
    client.callTool(name, {}).then(
      () => false,
      () => true,
    );
  const pages = client.pages.tools();
  await pages.next();
  await pages.next();
  expect(await Promise.all(['a', 'b', 'c'].map(isValidated))).toEqual([true, true, false]);
  server.notify('notifications/tools/list_changed', {});
  await client.ping();
  await pages.next();
  expect(await Promise.all(['a', 'b', 'c'].map(isValidated))).toEqual([false, false, true]);
});

describe('the pages of the tasks', () => {
  const task = (taskId: string): JsonObject => ({
    taskId,
    status: 'working',
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    ttl: 1000,
    pollInterval: 5,
  });
  const withTasks = (tasks: JsonObject): Step => {
    const step = initialized();
    return (request) => {
      const { result } = step(request) as { readonly result: JsonObject };
      return { result: { ...result, capabilities: { tasks } } };
    };
  };

  test('are those of a legacy server that lists them', async () => {
    const { client } = await connect('legacy', {
      initialize: withTasks({ list: {} }),
      'tasks/list': paged('tasks', [[task('a')], [task('b')]]),
    });
    const pages = await collect(client.pages.tasks());
    expect(pages).toMatchObject([{ nextCursor: '1' }, {}]);
    expect(pages.flatMap(({ items }) => items)).toEqual(
      ['a', 'b'].map((taskId) => {
        const { ttl: ttlMs, pollInterval: pollIntervalMs, ...rest } = task(taskId);
        return { ...rest, ttlMs, pollIntervalMs };
      }),
    );
  });

  test('are none, without a request, where the server does not list them', async () => {
    for (const [era, initialize] of [
      ['legacy', withTasks({ cancel: {} })],
      ['modern', initialized()],
    ] as const) {
      const { client, server } = await connect(era, { initialize });
      expect(await collect(client.pages.tasks())).toEqual([]);
      expect(server.all('tasks/list')).toEqual([]);
    }
  });

  test('with a malformed task reject', async () => {
    const { client } = await connect('legacy', {
      initialize: withTasks({ list: {} }),
      'tasks/list': paged('tasks', [[{ taskId: 'a' }]]),
    });
    await expect(collect(client.pages.tasks())).rejects.toMatchObject({ code: 'invalid-response' });
  });
});

describe('the cache hints', () => {
  const hinted: Step = ({ method }) => ({
    result: {
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'public',
      ...(method === 'prompts/list' ? { prompts: [] } : { contents: [{ uri: 'a:b', text: 'x' }] }),
    },
  });

  test('of a page are part of it, with the time that is left in the cache', async () => {
    const { client } = await connect('modern', { 'prompts/list': hinted });
    const [first] = await collect(client.pages.prompts());
    expect(first?.cacheHints).toEqual({ ttlMs: 60_000, cacheScope: 'public' });
    const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 20_000);
    onTestFinished(() => later.mockRestore());
    const [second] = await collect(client.pages.prompts());
    expect(second?.cacheHints?.ttlMs).toBeLessThanOrEqual(40_000);
    expect(second?.cacheHints?.ttlMs).toBeGreaterThan(30_000);
  });

  test('of a resource are passed to onCacheHints, also from the cache', async () => {
    const { client, server } = await connect('modern', { 'resources/read': hinted });
    const hints: unknown[] = [];
    for (let read = 0; read < 2; read += 1)
      await client.readResource('a:b', { onCacheHints: (found) => hints.push(found) });
    expect(server.all('resources/read')).toHaveLength(1);
    expect(hints).toEqual([
      { ttlMs: 60_000, cacheScope: 'public' },
      { ttlMs: expect.any(Number) as number, cacheScope: 'public' },
    ]);
  });

  test('are absent where the server sends none', async () => {
    const { client } = await connect('legacy', {
      'prompts/list': paged('prompts', [[]]),
      'resources/read': () => ({ result: { contents: [] } }),
    });
    expect(await collect(client.pages.prompts())).toEqual([{ items: [] }]);
    const onCacheHints = vi.fn<() => void>();
    await client.readResource('a:b', { onCacheHints });
    expect(onCacheHints).not.toHaveBeenCalled();
  });
});
