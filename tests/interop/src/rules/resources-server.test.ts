import { ResourceNotFoundError, type ReadResourceResult } from '@signalbox/mcp-core';
import { createServer, type ResourceProvider } from '@signalbox/mcp-core/server';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { Key, metaOf, type Message } from './message.ts';
import { openRawClient, SERVER_SETUPS, type RawClient } from './raw-client.ts';
import { echo, serverOptions, tool } from './test-tools.ts';

const provider = {
  list: (cursor: string | undefined) =>
    Promise.resolve(
      cursor === undefined
        ? { resources: [{ uri: 'note:1', name: 'one' }], nextCursor: '' }
        : { resources: [{ uri: 'note:2', name: 'two' }] },
    ),
  read: (uri: string): Promise<ReadResourceResult> => {
    if (uri === 'note:text')
      return Promise.resolve({ contents: [{ uri, text: 'words', mimeType: 'text/plain' }] });
    if (uri === 'note:bytes')
      return Promise.resolve({
        contents: [{ uri, blob: Buffer.from([0, 255]).toString('base64') }],
      });
    if (uri === 'note:broken') throw new Error('password hunter2');
    throw new ResourceNotFoundError(uri);
  },
  subscribe: () => Promise.resolve(() => undefined),
} satisfies ResourceProvider;

describe.each(SERVER_SETUPS)('the resources of a server, $era over $wire', ({ era, wire }) => {
  const subject = { side: 'server', era, wire } as const;
  const open = (resources: ResourceProvider = provider) =>
    openRawClient(createServer(serverOptions({ resources })), { era, wire });

  test(
    'contents are text, or blob in Base64, with their uri',
    proves(subject, 'resources.contents', 'resources.binary'),
    async () => {
      const client = await open();
      expect(await client.request('resources/read', { uri: 'note:text' })).toMatchObject({
        result: { contents: [{ uri: 'note:text', mimeType: 'text/plain', text: 'words' }] },
      });
      expect(await client.request('resources/read', { uri: 'note:bytes' })).toMatchObject({
        result: { contents: [{ uri: 'note:bytes', blob: 'AP8=' }] },
      });
    },
  );

  test(
    'a missing resource is an error with its URI, never an empty list',
    proves(
      subject,
      ...(era === 'modern'
        ? (['resources.missing', 'resources.not-empty'] as const)
        : (['resources.missing-legacy'] as const)),
    ),
    async () => {
      const client = await open();
      const answer = await client.request('resources/read', { uri: 'note:none' });
      expect(answer).toMatchObject({
        error: { code: era === 'modern' ? -32_602 : -32_002, data: { uri: 'note:none' } },
      });
    },
  );

  test(
    'a failure is -32603 and reveals nothing',
    proves(subject, 'resources.internal'),
    async () => {
      const client = await open();
      const { error } = await client.request('resources/read', { uri: 'note:broken' });
      expect(error).toEqual({
        code: -32_603,
        message: expect.not.stringContaining('hunter2') as string,
      });
    },
  );

  test.for([[{}], [{ uri: 7 }], [{ uri: null }]])(
    'a read of %j is -32602',
    proves(subject, 'resources.uri-validated'),
    async ([params]) => {
      const client = await open();
      expect(await client.request('resources/read', params)).toMatchObject({
        error: { code: -32_602 },
      });
    },
  );

  test('a change of the list is announced', proves(subject, 'resources.changed'), async () => {
    const server = createServer(serverOptions({ resources: provider }));
    const client = await openRawClient(server, { era, wire });
    if (era === 'modern') {
      client.ask('subscriptions/listen', { notifications: { resourcesListChanged: true } });
      await client.find((message) => message.method === 'notifications/subscriptions/acknowledged');
    } else await client.settled();
    server.changes.resourcesChanged();
    expect(
      await client.find((message) => message.method === 'notifications/resources/list_changed'),
    ).toMatchObject({ jsonrpc: '2.0' });
  });

  test(
    'a cursor continues where its page ended, even ""',
    proves(subject, 'pages.stable'),
    async () => {
      const client = await open();
      expect(await client.request('resources/list')).toMatchObject({
        result: { resources: [{ uri: 'note:1' }], nextCursor: '' },
      });
      const second = await client.request('resources/list', { cursor: '' });
      expect(second).toMatchObject({ result: { resources: [{ uri: 'note:2' }] } });
      expect(second.result).not.toHaveProperty('nextCursor');
    },
  );

  test('an invalid cursor is -32602', proves(subject, 'pages.invalid-cursor'), async () => {
    const client = await openRawClient(createServer(serverOptions({ tools: [echo] })), {
      era,
      wire,
    });
    for (const cursor of [7, {}, 'no-such-page'])
      expect(await client.request('tools/list', { cursor })).toMatchObject({
        error: { code: -32_602 },
      });
  });

  if (era === 'legacy') {
    test(
      'updates are sent between subscribe and unsubscribe',
      proves(subject, 'subscribe.updates'),
      async () => {
        const server = createServer(serverOptions({ resources: provider }));
        const client = await openRawClient(server, { era, wire });
        const updates = () =>
          client.received.filter((message) => message.method === 'notifications/resources/updated');
        server.changes.resourceUpdated('note:text');
        expect(await client.request('resources/subscribe', { uri: 'note:text' })).toMatchObject({
          result: {},
        });
        server.changes.resourceUpdated('note:bytes');
        server.changes.resourceUpdated('note:text');
        await client.find((message) => message.method === 'notifications/resources/updated');
        expect(await client.request('resources/unsubscribe', { uri: 'note:text' })).toMatchObject({
          result: {},
        });
        server.changes.resourceUpdated('note:text');
        await client.settled();
        expect(updates()).toEqual([
          {
            jsonrpc: '2.0',
            method: 'notifications/resources/updated',
            params: { uri: 'note:text' },
          },
        ]);
      },
    );

    test(
      'without the capability subscribe is an unknown method',
      proves(subject, 'subscribe.capability'),
      async () => {
        const client = await open({ list: provider.list, read: provider.read });
        expect(await client.request('resources/subscribe', { uri: 'note:text' })).toMatchObject({
          error: { code: -32_601 },
        });
      },
    );
  } else {
    test(
      'the list is the same for every connection, even when it is empty',
      proves(subject, 'resources.list', 'resources.list-stable'),
      async () => {
        const server = createServer(serverOptions({ resources: provider }));
        const [one, other] = [
          await openRawClient(server, { era, wire }),
          await openRawClient(server, { era, wire, capabilities: { roots: {} } }),
        ];
        const first = await one.request('resources/list');
        await one.request('resources/read', { uri: 'note:text' });
        for (const again of [
          await one.request('resources/list'),
          await other.request('resources/list'),
        ])
          expect(again.result).toEqual(first.result);
        const empty = await open({
          list: () => Promise.resolve({ resources: [] }),
          read: provider.read,
        });
        expect(await empty.request('resources/list')).toMatchObject({ result: { resources: [] } });
      },
    );
  }
});

describe.each(SERVER_SETUPS.filter(({ era }) => era === 'modern'))(
  'the listen streams of a server, $era over $wire',
  ({ era, wire }) => {
    const subject = { side: 'server', era, wire } as const;
    const listen = async (
      client: RawClient,
      notifications: object,
      id: string | number,
    ): Promise<Message> => {
      client.ask('subscriptions/listen', { notifications }, id);
      return client.find(
        (message) =>
          message.method === 'notifications/subscriptions/acknowledged' &&
          metaOf(message.params)[Key.subscriptionId] === id,
      );
    };

    test('begin with the acknowledged filter', proves(subject, 'listen.acknowledged'), async () => {
      const server = createServer(serverOptions({ tools: [echo], resources: provider }));
      const client = await openRawClient(server, { era, wire });
      const wanted = {
        toolsListChanged: true,
        promptsListChanged: true,
        resourceSubscriptions: ['note:text'],
      };
      client.ask('subscriptions/listen', { notifications: wanted }, 'stream');
      // Published while the stream opens.
      for (let times = 0; times < 20; times += 1) server.changes.toolsChanged();
      await client.find((message) => message.method === 'notifications/subscriptions/acknowledged');
      expect(client.received[0]).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: {
          notifications: { toolsListChanged: true, resourceSubscriptions: ['note:text'] },
          _meta: { [Key.subscriptionId]: 'stream' },
        },
      });
    });

    test(
      'carry only the requested changes, each tagged with its own id',
      proves(subject, 'listen.only-wanted', 'listen.tagged', 'listen.several'),
      async () => {
        const server = createServer(serverOptions({ tools: [echo], resources: provider }));
        const client = await openRawClient(server, { era, wire });
        await listen(client, { toolsListChanged: true }, 1);
        await listen(client, { resourceSubscriptions: ['note:text'] }, '1');
        server.changes.resourcesChanged();
        server.changes.resourceUpdated('note:bytes');
        server.changes.toolsChanged();
        server.changes.resourceUpdated('note:text');
        await Promise.all(
          ['notifications/tools/list_changed', 'notifications/resources/updated'].map((method) =>
            client.find((message) => message.method === method),
          ),
        );
        await client.settled();
        expect(
          client.received
            .filter((message) => message.method !== undefined)
            .slice(2)
            .toSorted((a, b) => (a.method! > b.method! ? -1 : 1)),
        ).toEqual([
          {
            jsonrpc: '2.0',
            method: 'notifications/tools/list_changed',
            params: { _meta: { [Key.subscriptionId]: 1 } },
          },
          {
            jsonrpc: '2.0',
            method: 'notifications/resources/updated',
            params: { uri: 'note:text', _meta: { [Key.subscriptionId]: '1' } },
          },
        ]);
      },
    );

    test(
      'carry no progress and no log messages',
      proves(subject, 'listen.no-request-notifications', 'listen.server-cancels-nothing-else'),
      async () => {
        const noisy = tool('noisy', (_args, context) => {
          context.log('error', 'loud');
          context.progress({ progress: 1 });
          return { content: [] };
        });
        const client = await openRawClient(createServer(serverOptions({ tools: [noisy] })), {
          era,
          wire,
        });
        await listen(client, { toolsListChanged: true }, 'stream');
        await client.request('tools/call', {
          name: 'noisy',
          _meta: { progressToken: 'p', [Key.logLevel]: 'debug' },
        });
        await client.settled();
        const tagged = client.received.filter(
          (message) => metaOf(message.params)[Key.subscriptionId] !== undefined,
        );
        expect(tagged.map((message) => message.method)).toEqual([
          'notifications/subscriptions/acknowledged',
        ]);
        expect(
          client.received.filter((message) => message.method === 'notifications/cancelled'),
        ).toEqual([]);
      },
    );

    test(
      'end with a result that names them when the server ends',
      proves(
        subject,
        'listen.graceful',
        ...(wire === 'stdio' ? (['listen.cancelled'] as const) : []),
      ),
      async () => {
        const client = await openRawClient(createServer(serverOptions({ tools: [echo] })), {
          era,
          wire,
        });
        await listen(client, { toolsListChanged: true }, 'stream');
        await client.close();
        const answer = await client.answer('stream');
        expect(answer.result).toMatchObject({
          resultType: 'complete',
          _meta: { [Key.subscriptionId]: 'stream' },
        });
        const cancelled = client.received.filter(
          (message) => message.method === 'notifications/cancelled',
        );
        if (wire === 'stdio')
          expect(cancelled).toMatchObject([{ params: { requestId: 'stream' } }]);
      },
    );
  },
);
