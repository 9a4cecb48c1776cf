import { describe, expect, expectTypeOf, test } from 'vitest';
import { PROTOCOL_VERSIONS } from '../../era/versions.ts';
import { ResourceNotFoundError } from '../../protocol/errors.ts';
import type { Resource } from '../../protocol/resources.ts';
import { connectRaw, initialize, modern } from '../../testing/raw-client.test.support.ts';
import { speak } from '../../testing/speak.test.support.ts';
import { createServer } from '../create-server.ts';
import { defineResource, defineResourceTemplate } from './resource.ts';
import type { Server, ServerOptions } from '../server.ts';

const info = { name: 'test-server', version: '1' };
const text = defineResource({
  uri: 'test://text',
  name: 'text',
  description: 'Text',
  mimeType: 'text/plain',
  read: () => 'hello',
});
const binary = defineResource({
  uri: 'test://binary',
  name: 'binary',
  mimeType: 'image/png',
  read: () => Promise.resolve(new Uint8Array([1, 2, 255]).subarray(1)),
});
const whole = defineResource({
  uri: 'test://whole',
  name: 'whole',
  icons: [{ src: 'data:image/png;base64,AA==' }],
  read: () => ({
    contents: [
      { uri: 'test://whole#1', text: 'a' },
      { uri: 'test://whole#2', text: 'b' },
    ],
    ttlMs: 5000,
    cacheScope: 'public',
  }),
});
const parts = defineResource({
  uri: 'test://parts',
  name: 'parts',
  read: () => [{ uri: 'test://parts#1', text: 'a' }],
});
const item = defineResourceTemplate({
  uriTemplate: 'test://item/{id}{?format}',
  name: 'item',
  description: 'An item',
  mimeType: 'application/json',
  list: (context) => [{ uri: 'test://item/1', name: `first (${context.client.era})` }],
  read: ({ id, format }, uri) => {
    expectTypeOf(id).toEqualTypeOf<string>();
    expectTypeOf(format).toEqualTypeOf<string | undefined>();
    if (id === '404') throw new ResourceNotFoundError(uri);
    if (id === 'broken') throw new ResourceNotFoundError('test://elsewhere');
    return JSON.stringify({ id, format });
  },
});

function serverWith(options: Partial<ServerOptions>): Server {
  return createServer({
    info,
    ...options,
    events: { onError: () => undefined, ...options.events },
  });
}
const server = serverWith({ resources: [whole, text, binary, parts], templates: [item] });

describe('resources/list', () => {
  test('returns the defined resources and those of the templates, sorted by URI', async () => {
    const ask = await speak(server, '2026-07-28');
    expect(await ask('resources/list')).toMatchObject({
      result: {
        resources: [
          { uri: 'test://binary', name: 'binary', mimeType: 'image/png' },
          { uri: 'test://item/1', name: 'first (modern)' },
          { uri: 'test://parts', name: 'parts' },
          { uri: 'test://text', name: 'text', description: 'Text', mimeType: 'text/plain' },
          { uri: 'test://whole', name: 'whole', icons: [{ src: 'data:image/png;base64,AA==' }] },
        ],
        ttlMs: 0,
        cacheScope: 'private',
      },
    });
    expect(JSON.stringify(await ask('resources/list'))).not.toContain('read');
  });

  test('may be cached when no template lists resources', async () => {
    const ask = await speak(serverWith({ resources: [text] }), '2026-07-28');
    expect(await ask('resources/list')).toMatchObject({
      result: { resources: [{ uri: 'test://text' }], ttlMs: 60_000, cacheScope: 'public' },
    });
    expect(await ask('resources/templates/list')).toMatchObject({
      result: { resourceTemplates: [], ttlMs: 60_000 },
    });
  });

  test('prefers a definition to a listed resource with its URI', async () => {
    const templates = [
      { ...item, list: (): Resource[] => [{ uri: 'test://text', name: 'other' }] },
    ];
    const ask = await speak(serverWith({ resources: [text], templates }), '2025-11-25');
    expect((await ask('resources/list')).result).toMatchObject({
      resources: [{ uri: 'test://text', name: 'text' }],
    });
  });

  test('comes in pages whose cursors stay valid when the list changes', async () => {
    let uris = ['test://a', 'test://c', 'test://e'];
    const templates = [{ ...item, list: () => uris.map((uri) => ({ uri, name: uri })) }];
    const ask = await speak(
      serverWith({ templates, settings: { lists: { pageSize: 2 } } }),
      '2025-11-25',
    );
    const { result: first } = await ask('resources/list');
    expect(first).toMatchObject({ resources: [{ uri: 'test://a' }, { uri: 'test://c' }] });
    uris = ['test://b', 'test://d', 'test://e'];
    const { result: second } = await ask('resources/list', {
      cursor: (first as { nextCursor: string }).nextCursor,
    });
    expect(second).toEqual({
      resources: [
        { uri: 'test://d', name: 'test://d' },
        { uri: 'test://e', name: 'test://e' },
      ],
    });
  });

  test.each(['resources/list', 'resources/templates/list'])(
    '%s refuses a cursor it did not issue',
    async (method) => {
      const ask = await speak(server, '2025-11-25');
      for (const cursor of ['2', 'b2Zmc2V0IDI', 7, null])
        expect(await ask(method, { cursor })).toMatchObject({ error: { code: -32602 } });
      expect(await ask(method, { cursor: '' })).toHaveProperty('result');
    },
  );
});

describe('resources/templates/list', () => {
  test('returns the templates without their functions', async () => {
    const ask = await speak(server, '2025-06-18');
    expect((await ask('resources/templates/list')).result).toEqual({
      resourceTemplates: [
        {
          uriTemplate: 'test://item/{id}{?format}',
          name: 'item',
          description: 'An item',
          mimeType: 'application/json',
        },
      ],
    });
  });
});

describe('resources/read', () => {
  test.each<[string, unknown]>([
    ['test://text', [{ uri: 'test://text', mimeType: 'text/plain', text: 'hello' }]],
    ['test://parts', [{ uri: 'test://parts#1', text: 'a' }]],
    ['test://binary', [{ uri: 'test://binary', mimeType: 'image/png', blob: 'Av8=' }]],
    [
      'test://whole',
      [
        { uri: 'test://whole#1', text: 'a' },
        { uri: 'test://whole#2', text: 'b' },
      ],
    ],
    [
      'test://item/a%20b',
      [{ uri: 'test://item/a%20b', mimeType: 'application/json', text: '{"id":"a b"}' }],
    ],
    [
      'test://item/7?format=x',
      [
        {
          uri: 'test://item/7?format=x',
          mimeType: 'application/json',
          text: '{"id":"7","format":"x"}',
        },
      ],
    ],
  ])('reads %s', async (uri, contents) => {
    for (const version of ['2024-11-05', '2026-07-28']) {
      const ask = await speak(server, version);
      expect((await ask('resources/read', { uri })).result).toMatchObject({ contents });
    }
  });

  test('keeps the cache hints of a complete result', async () => {
    const ask = await speak(server, '2026-07-28');
    expect(await ask('resources/read', { uri: 'test://whole' })).toMatchObject({
      result: { ttlMs: 5000, cacheScope: 'public' },
    });
    expect(await ask('resources/read', { uri: 'test://text' })).toMatchObject({
      result: { ttlMs: 0, cacheScope: 'private' },
    });
  });

  test.each(PROTOCOL_VERSIONS)('%s: says which URI is not found', async (version) => {
    const ask = await speak(server, version);
    const code = version === '2026-07-28' ? -32602 : -32002;
    for (const uri of ['test://none', 'test://item/404', 'nonsense', '']) {
      expect(await ask('resources/read', { uri })).toMatchObject({
        error: { code, data: { uri } },
      });
    }
    for (const params of [{}, { uri: 3 }, { uri: ['test://text'] }]) {
      expect(await ask('resources/read', params)).toMatchObject({
        error: { code: -32602, message: 'Invalid params: uri must be a string' },
      });
    }
  });

  test('tries the next template when a template does not find the resource, but not when another resource is missing', async () => {
    const templates = [
      item,
      defineResourceTemplate({
        uriTemplate: 'test://{+rest}',
        name: 'rest',
        read: ({ rest }) => rest,
      }),
    ];
    const ask = await speak(serverWith({ templates }), '2026-07-28');
    expect(await ask('resources/read', { uri: 'test://item/404' })).toMatchObject({
      result: { contents: [{ text: 'item/404' }] },
    });
    expect(await ask('resources/read', { uri: 'test://item/broken' })).toMatchObject({
      error: { data: { uri: 'test://elsewhere' } },
    });
  });
});

describe('subscriptions', () => {
  test('are not declared without resourceSubscriptions', async () => {
    const ask = await speak(server, '2025-11-25');
    expect(await ask('resources/subscribe', { uri: 'test://text' })).toMatchObject({
      error: { code: -32601 },
    });
  });

  test('receive published updates for readable resources', async () => {
    const watched = serverWith({
      resources: [text],
      templates: [item],
      settings: { resourceSubscriptions: true },
    });
    const client = await connectRaw(watched);
    const { result } = await initialize(client, '2025-11-25');
    expect(result).toMatchObject({
      capabilities: { resources: { subscribe: true, listChanged: true } },
    });
    expect(await client.request(1, 'resources/subscribe', { uri: 'test://item/5' })).toHaveProperty(
      'result',
    );
    expect(await client.request(2, 'resources/subscribe', { uri: 'other://x' })).toMatchObject({
      error: { code: -32002, data: { uri: 'other://x' } },
    });
    watched.changes.resourceUpdated('test://text');
    watched.changes.resourceUpdated('test://item/5');
    expect(
      await client.find(({ method }) => method === 'notifications/resources/updated'),
    ).toMatchObject({ params: { uri: 'test://item/5' } });
  });

  test('attach and detach a watcher', async () => {
    const attached: string[] = [];
    const watched = serverWith({
      resources: [text],
      settings: {
        resourceSubscriptions: (uri) => {
          attached.push(uri);
          return Promise.resolve(() => {
            attached.splice(0);
          });
        },
      },
    });
    const client = await connectRaw(watched);
    client.send({
      jsonrpc: '2.0',
      id: 'l',
      method: 'subscriptions/listen',
      params: modern({ notifications: { resourceSubscriptions: ['test://text', 'other://x'] } }),
    });
    expect(
      await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged'),
    ).toMatchObject({
      params: { notifications: { resourceSubscriptions: ['test://text'] } },
    });
    expect(attached).toEqual(['test://text']);
    client.notify('notifications/cancelled', { requestId: 'l' });
    await expect.poll(() => attached, { timeout: 10_000 }).toEqual([]);
  });
});

describe('setResources and setTemplates', () => {
  const uris = async (changing: Server, version: string): Promise<unknown> => {
    const ask = await speak(changing, version);
    const { result } = await ask('resources/list');
    return (result as { resources: readonly Resource[] }).resources.map(({ uri }) => uri);
  };

  test.each(['2025-11-25', '2026-07-28'])(
    '%s: replace what is listed and read',
    async (version) => {
      const changing = serverWith({ resources: [text], templates: [] });
      changing.setResources([binary]);
      expect(await uris(changing, version)).toEqual(['test://binary']);
      changing.setTemplates([item]);
      expect(await uris(changing, version)).toEqual(['test://binary', 'test://item/1']);
      const ask = await speak(changing, version);
      expect(await ask('resources/read', { uri: 'test://text' })).toHaveProperty('error');
      expect(await ask('resources/read', { uri: 'test://item/7' })).toHaveProperty('result');
      expect((await ask('resources/templates/list')).result).toMatchObject({
        resourceTemplates: [{ name: 'item' }],
      });
    },
  );

  test('publish the change', async () => {
    const changing = serverWith({ resources: [] });
    const client = await connectRaw(changing);
    await initialize(client, '2025-11-25');
    changing.setResources([text]);
    const changed = ({ method }: { method?: unknown }): boolean =>
      method === 'notifications/resources/list_changed';
    await client.find(changed);
    changing.setTemplates([item]);
    await expect
      .poll(() => client.received.filter((message) => changed(message as object)).length)
      .toBe(2);
  });

  test('change nothing when a definition is invalid', async () => {
    const changing = serverWith({ resources: [text] });
    expect(() => changing.setResources([binary, binary])).toThrow('Two resources have the URI');
    expect(() => changing.setTemplates([item, item])).toThrow('the same URI template');
    expect(await uris(changing, '2025-11-25')).toEqual(['test://text']);
  });

  test('need a server that declared resources, and completion for completers', () => {
    expect(() => serverWith({ tools: [] }).setResources([])).toThrow('declared no resources');
    expect(() => serverWith({ tools: [] }).setTemplates([])).toThrow('declared no resources');
    const completed = [{ ...item, complete: { id: () => ['1'] } }];
    expect(() => serverWith({ resources: [] }).setTemplates(completed)).toThrow(
      'declared no completions',
    );
    serverWith({ templates: [] }).setTemplates(completed);
    serverWith({ resources: [], prompts: [] }).setTemplates(completed);
  });

  test('are refused for the resources of a provider', () => {
    const provider = {
      list: () => Promise.resolve({ resources: [] }),
      read: () => Promise.resolve({ contents: [] }),
    };
    expect(() => serverWith({ resources: provider }).setResources([])).toThrow('from a provider');
    expect(() => serverWith({ resources: provider, templates: [item] })).toThrow(
      'A provider of resources serves its own templates',
    );
  });
});

describe('createServer', () => {
  test.each<[string, Partial<ServerOptions>]>([
    ['"text" is not a URI with a scheme', { resources: [{ ...text, uri: 'text' }] }],
    ['Two resources have the URI test://text', { resources: [text, text] }],
    ['Two resource templates have the same URI template', { templates: [item, item] }],
    ['cannot be read back', { templates: [{ ...item, uriTemplate: 'test://{id*}' }] }],
    ['has no variable other', { templates: [{ ...item, complete: { other: () => [] } }] }],
    [
      'pageSize must be a positive integer',
      { templates: [], settings: { lists: { pageSize: 0 } } },
    ],
  ])('refuses invalid definitions: %s', (message, options) => {
    expect(() => serverWith(options)).toThrow(message);
  });
});
