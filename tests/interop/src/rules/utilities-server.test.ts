import { createServer, type ServerOptions } from '@signalbox/mcp-core/server';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { Key } from './message.ts';
import { openRawClient, SERVER_SETUPS } from './raw-client.ts';
import { echo, holdingTool, serverOptions, tool } from './test-tools.ts';

const logging = tool('log', (_args, context) => {
  for (const level of ['debug', 'info', 'warning', 'error'] as const)
    context.log(level, { at: level }, 'tests');
  return { content: [] };
});

describe.each(SERVER_SETUPS)('a server, $era over $wire', ({ era, wire }) => {
  const subject = { side: 'server', era, wire } as const;
  const open = (options: Partial<ServerOptions>) =>
    openRawClient(createServer(serverOptions(options)), { era, wire });
  const only = <T>(own: 'legacy' | 'modern', ...ids: T[]): T[] => (era === own ? ids : []);

  test(
    'log messages respect the level',
    proves(
      subject,
      ...only('legacy', 'logging.set-level' as const),
      ...only('modern', 'logging.level' as const),
    ),
    async () => {
      const client = await open({ tools: [logging] });
      if (era === 'legacy')
        expect(await client.request('logging/setLevel', { level: 'warning' })).toMatchObject({
          result: {},
        });
      const answer = await client.request('tools/call', {
        name: 'log',
        _meta: era === 'modern' ? { [Key.logLevel]: 'warning' } : {},
      });
      const messages = client.received.filter(
        (message) => message.method === 'notifications/message',
      );
      expect(messages.map((message) => message.params)).toEqual([
        { level: 'warning', logger: 'tests', data: { at: 'warning' } },
        { level: 'error', logger: 'tests', data: { at: 'error' } },
      ]);
      expect(client.received.indexOf(answer)).toBeGreaterThan(
        client.received.indexOf(messages[1]!),
      );
    },
  );

  test('an unknown level is -32602', proves(subject, 'logging.unknown-level'), async () => {
    const client = await open({ tools: [logging] });
    const answer =
      era === 'legacy'
        ? client.request('logging/setLevel', { level: 'loud' })
        : client.request('tools/call', { name: 'log', _meta: { [Key.logLevel]: 'loud' } });
    expect(await answer).toMatchObject({ error: { code: -32_602 } });
  });

  test.for([['p'], [7], [0]])(
    'progress has the token %j, grows, and stops with the answer',
    proves(subject, 'progress.known-token', 'progress.increases', 'progress.stops'),
    async ([token]) => {
      const late = Promise.withResolvers<() => void>();
      const report = tool('report', (_args, context) => {
        for (const progress of [1, 1, 0.5, 2, 10]) context.progress({ progress, total: 10 });
        late.resolve(() => {
          context.progress({ progress: 11 });
        });
        return { content: [] };
      });
      const client = await open({ tools: [report] });
      const answer = await client.request('tools/call', {
        name: 'report',
        _meta: { progressToken: token! },
      });
      (await late.promise)();
      await client.settled();
      const sent = client.received.filter((message) => message.method === 'notifications/progress');
      const values = sent.map((message) => message.params?.progress as number);
      expect(values.at(-1)).toBe(10);
      expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b));
      expect(sent.every((message) => message.params?.progressToken === token)).toBe(true);
      expect(client.received.indexOf(answer)).toBeGreaterThan(
        client.received.indexOf(sent.at(-1)!),
      );
    },
  );

  test(
    'without a token there is no progress',
    proves(subject, 'progress.known-token'),
    async () => {
      const client = await open({
        tools: [
          tool('report', (_args, context) => {
            context.progress({ progress: 1 });
            return { content: [] };
          }),
        ],
      });
      await client.request('tools/call', { name: 'report' });
      await client.settled();
      expect(client.received.filter((message) => message.method !== undefined)).toEqual([]);
    },
  );

  test(
    'frequent progress is sent at most ten times a second',
    proves(subject, 'progress.rate'),
    async () => {
      const client = await open({
        tools: [
          tool('report', (_args, context) => {
            for (let progress = 1; progress <= 1000; progress += 1) context.progress({ progress });
            return { content: [] };
          }),
        ],
      });
      await client.request('tools/call', { name: 'report', _meta: { progressToken: 'p' } });
      expect(
        client.received.filter((message) => message.method === 'notifications/progress').length,
      ).toBeLessThanOrEqual(3);
    },
  );

  if (wire === 'stdio' || era === 'legacy') {
    test(
      'a cancelled request is aborted and gets no response',
      proves(
        subject,
        'cancel.stops',
        'cancel.race',
        ...only('modern', 'stdio.cancelled-silent' as const),
      ),
      async () => {
        const holding = holdingTool();
        const client = await open({ tools: [holding.tool] });
        const id = client.ask('tools/call', {
          name: 'hold',
          _meta: { progressToken: 'p', [Key.logLevel]: 'debug' },
        });
        const context = await holding.started;
        client.notify('notifications/cancelled', { requestId: id, reason: 'changed my mind' });
        await expect.poll(() => context.signal.aborted).toBe(true);
        context.progress({ progress: 5 });
        context.log('error', 'too late');
        holding.finish();
        await client.settled();
        client.notify('notifications/cancelled', { requestId: id });
        await client.settled();
        expect(
          client.received.filter((message) => message.id === id || message.method !== undefined),
        ).toEqual([]);
      },
    );
  }

  test(
    'cancellations of unknown requests are ignored',
    proves(subject, 'cancel.unknown', 'cancel.race'),
    async () => {
      const client = await open({ tools: [echo] });
      const { id } = await client.request('tools/call', { name: 'echo' });
      for (const params of [
        { requestId: id },
        { requestId: 'no-such' },
        {},
        { requestId: null },
        { requestId: { a: 1 } },
      ])
        client.notify('notifications/cancelled', params);
      expect(
        await client.request('tools/call', { name: 'echo', arguments: { text: 'on' } }),
      ).toMatchObject({ result: { content: [{ text: 'on' }] } });
      expect(client.received.filter((message) => message.error !== undefined)).toEqual([]);
    },
  );

  if (era === 'legacy') {
    test(
      'it withdraws only open input requests',
      proves(subject, 'cancel.server-own-running'),
      async () => {
        const ask = tool('ask', async (_args, context) => {
          const { action } = await context.elicit('first', {
            message: 'first',
            requestedSchema: { type: 'object', properties: {} },
          });
          return {
            structuredContent: {
              action,
              second: await context.elicit('second', {
                message: 'second',
                requestedSchema: { type: 'object', properties: {} },
              }),
            },
          };
        });
        const client = await openRawClient(createServer(serverOptions({ tools: [ask] })), {
          era,
          wire,
          capabilities: { elicitation: {} },
        });
        const id = client.ask('tools/call', { name: 'ask' });
        const first = await client.find((message) => message.params?.message === 'first');
        client.send({ jsonrpc: '2.0', id: first.id, result: { action: 'decline' } });
        const second = await client.find((message) => message.params?.message === 'second');
        client.notify('notifications/cancelled', { requestId: id });
        await client.find((message) => message.method === 'notifications/cancelled');
        await client.settled();
        const withdrawn = client.received
          .filter((message) => message.method === 'notifications/cancelled')
          .map((message) => message.params?.requestId);
        expect(withdrawn).toEqual([second.id]);
      },
    );
  } else {
    test(
      'a request without a level gets no log messages',
      proves(subject, 'logging.silent'),
      async () => {
        const client = await open({ tools: [logging] });
        await client.request('tools/call', { name: 'log', _meta: { [Key.logLevel]: 'emergency' } });
        await client.request('tools/call', { name: 'log' });
        await client.settled();
        expect(client.received.filter((message) => message.method !== undefined)).toEqual([]);
      },
    );

    test(
      'cache hints are on cacheable results, and on no other',
      proves(subject, 'cache.hints', 'cache.one-scope'),
      async () => {
        const page = (cursor: string | undefined) =>
          Promise.resolve({
            resources: [],
            cacheScope: 'public' as const,
            ttlMs: 5,
            ...(cursor === undefined ? { nextCursor: 'n' } : {}),
          });
        const client = await open({
          tools: [echo],
          resources: {
            list: page,
            read: (uri) => Promise.resolve({ contents: [{ uri, text: '' }] }),
          },
        });
        const hints = async (method: string, params = {}) => {
          const { result } = await client.request(method, params);
          return [result?.ttlMs, result?.cacheScope];
        };
        for (const [method, params] of [
          ['server/discover', {}],
          ['tools/list', {}],
          ['resources/templates/list', {}],
          ['resources/read', { uri: 'x:y' }],
        ] as const) {
          const [ttlMs, cacheScope] = await hints(method, params);
          expect(ttlMs).toBeGreaterThanOrEqual(0);
          expect(cacheScope).toMatch(/^(?:public|private)$/);
        }
        expect(await hints('resources/list')).toEqual([5, 'public']);
        expect(await hints('resources/list', { cursor: 'n' })).toEqual([5, 'public']);
        expect(await hints('tools/call', { name: 'echo' })).toEqual([undefined, undefined]);
      },
    );
  }
});
