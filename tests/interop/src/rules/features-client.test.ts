import { ResourceNotFoundError, type JsonObject } from '@signalbox/mcp-core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { Key, metaOf, type Message } from './message.ts';
import { CLIENT_SETUPS, complete, connect, sent } from './raw-server.ts';
import type { Script } from './script.ts';
import { openSchemaHost } from './schema-host.ts';

describe.each(CLIENT_SETUPS)('a client, $era over $wire', ({ era, wire }) => {
  const place = { era, wire };
  const subject = { side: 'client', era, wire } as const;
  const page = (member: string, entries: readonly unknown[], nextCursor?: string) =>
    complete(era, {
      [member]: entries,
      ...(nextCursor === undefined ? {} : { nextCursor }),
      ...(era === 'modern' ? { ttlMs: 0, cacheScope: 'private' } : {}),
    });
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

  test(
    'reads every page, with cursors unchanged',
    proves(
      subject,
      'pages.opaque',
      'pages.any-size',
      'pages.end',
      'prompts.pages',
      ...(era === 'modern' ? (['pages.empty-cursor'] as const) : []),
    ),
    async () => {
      const odd = ' {"a":1}==\u00fc ';
      const next = { start: '', '': odd, [odd]: undefined } as const;
      const names = { start: ['a', 'b'], '': [], [odd]: ['c'] } as const;
      const list =
        (member: string) =>
        ({ params }: Message) => {
          const cursor = (params?.cursor ?? 'start') as keyof typeof next;
          return page(member, names[cursor].map(tool), next[cursor]);
        };
      const { client, server } = await connect(place, {
        'tools/list': list('tools'),
        'prompts/list': list('prompts'),
      });
      expect((await client.listTools()).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
      expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
      expect(sent(server, 'tools/list').map(({ params }) => params?.cursor)).toEqual([
        undefined,
        '',
        odd,
      ]);
    },
  );

  test(
    'progress tokens are its own, and foreign progress is ignored',
    proves(subject, 'progress.token', 'progress.tracked'),
    async () => {
      const seen: number[] = [];
      const { client, server } = await connect(place, {
        'tools/call': async (request, raw) => {
          await expect.poll(() => sent(raw, 'tools/call').length).toBe(2);
          const { progressToken } = metaOf(request.params);
          for (const [token, progress] of [
            ['unknown', 7],
            [progressToken, 1],
            [progressToken, 2],
            [undefined, 9],
          ])
            raw.send(
              {
                jsonrpc: '2.0',
                method: 'notifications/progress',
                params: { progressToken: token, progress },
              },
              request.id,
            );
          return complete(era, { content: [] });
        },
      });
      await Promise.all([
        client.callTool('a', {}, { onProgress: ({ progress }) => seen.push(progress) }),
        client.callTool('b', {}, { onProgress: () => undefined }),
      ]);
      expect(seen).toEqual([1, 2]);
      const tokens = sent(server, 'tools/call').map(({ params }) => metaOf(params).progressToken);
      expect(new Set(tokens).size).toBe(2);
      for (const token of tokens)
        expect(typeof token === 'string' || Number.isInteger(token)).toBe(true);
    },
  );

  test(
    'cancels a running request once, and survives a late response',
    proves(subject, 'cancel.own-running', 'cancel.race'),
    async () => {
      const late = Promise.withResolvers<void>();
      const { client, server } = await connect(place, {
        'tools/call': async ({ params }) => {
          if (params?.name === 'late') await late.promise;
          return complete(era, { content: [] });
        },
      });
      const done = new AbortController();
      await client.callTool('quick', {}, { signal: done.signal });
      done.abort();
      const stop = new AbortController();
      const call = client.callTool('late', {}, { signal: stop.signal });
      const running = await server.inbox.find((message) => message.params?.name === 'late');
      stop.abort();
      await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
      late.resolve();
      await client.callTool('quick', {});
      const cancelled = sent(server, 'notifications/cancelled').map(
        ({ params }) => params?.requestId,
      );
      expect(cancelled).toEqual(era === 'modern' && wire === 'http' ? [] : [running.id]);
    },
  );

  test.for([-32_602, -32_002])(
    '%i with the URI is a missing resource',
    era === 'modern' ? proves({ ...subject, wire: 'any' }, 'resources.missing-codes') : {},
    async (code) => {
      const { client } = await connect(place, {
        'resources/read': () => ({ error: { code, message: 'gone', data: { uri: 'x:y' } } }),
      });
      await expect(client.readResource('x:y')).rejects.toThrow(ResourceNotFoundError);
    },
  );

  test(
    'structured content that violates its schema is rejected',
    proves(subject, 'tools.output-validated', 'schema.default-dialect'),
    async () => {
      const described = {
        ...tool('t'),
        outputSchema: {
          type: 'object',
          properties: { n: { type: 'integer' } },
          required: ['n'],
          unevaluatedProperties: false,
        },
      };
      let structuredContent: JsonObject = { n: 1 };
      const { client } = await connect(place, {
        'tools/list': () => page('tools', [described]),
        'tools/call': () => complete(era, { content: [], structuredContent }),
      });
      await client.listTools();
      expect(await client.callTool('t', {})).toMatchObject({ structuredContent: { n: 1 } });
      for (structuredContent of [{ n: 'one' }, {}, { n: 1, other: 2 }])
        await expect(client.callTool('t', {})).rejects.toMatchObject({ code: 'invalid-response' });
    },
  );

  test(
    'reads a schema in the dialect it declares',
    proves({ ...subject, wire: 'any' }, 'schema.declared-dialect'),
    async () => {
      // A list of items is a tuple in draft-07, and invalid in 2020-12.
      const outputSchema = {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { n: { type: 'array', items: [{ type: 'integer' }, { type: 'string' }] } },
      };
      let structuredContent: JsonObject = { n: [1, 'a'] };
      const { client } = await connect(place, {
        'tools/list': () => page('tools', [{ ...tool('t'), outputSchema }]),
        'tools/call': () => complete(era, { content: [], structuredContent }),
      });
      await client.listTools();
      expect(await client.callTool('t', {})).toMatchObject({ structuredContent: { n: [1, 'a'] } });
      structuredContent = { n: ['a', 1] };
      await expect(client.callTool('t', {})).rejects.toMatchObject({ code: 'invalid-response' });
    },
  );

  const unusable = [
    [
      'an unknown dialect',
      'schema.unknown-dialect',
      { $schema: 'https://example.com/own-dialect', type: 'object' },
      'https://example.com/own-dialect',
    ],
    [
      'a schema without end',
      'schema.bounds',
      {
        type: 'object',
        properties: JSON.parse(`${'{"a":{"properties":'.repeat(40)}{}${'}}'.repeat(40)}`) as object,
      },
      'deep',
    ],
    [
      'a reference to elsewhere',
      'schema.unresolved-ref',
      { type: 'object', properties: { n: { $ref: 'http://127.0.0.1:9/n.json' } } },
      'http://127.0.0.1:9/n.json',
    ],
  ] as const;
  for (const [what, rule, outputSchema, name] of unusable) {
    const isRule = rule === 'schema.unknown-dialect' || era === 'modern';
    const proof = isRule ? proves({ ...subject, wire: 'any' }, rule) : {};
    test(`reports ${what}, which it does not use`, proof, async () => {
      const problems: string[] = [];
      const { client } = await connect(
        place,
        {
          'tools/list': () => page('tools', [{ ...tool('t'), outputSchema }]),
          'tools/call': () => complete(era, { content: [], structuredContent: { n: 'one' } }),
        },
        {
          events: {
            onProblem: (problem) => problems.push(`${problem.message} ${String(problem.cause)}`),
          },
        },
      );
      await client.listTools();
      await client.callTool('t', {});
      expect(problems).toEqual([expect.stringContaining(name)]);
    });
  }

  if (era === 'modern') {
    test(
      'does not fetch a schema of another host',
      proves({ ...subject, wire: 'any' }, 'schema.no-fetch'),
      async () => {
        const host = await openSchemaHost();
        const outputSchema = { type: 'object', properties: { n: { $ref: host.url } } };
        const problems: string[] = [];
        const { client } = await connect(
          place,
          {
            'tools/list': () =>
              page('tools', [{ ...tool('t'), inputSchema: outputSchema, outputSchema }]),
            'tools/call': () => complete(era, { content: [], structuredContent: { n: 'one' } }),
          },
          {
            events: {
              onProblem: (problem) => problems.push(`${problem.message} ${String(problem.cause)}`),
            },
          },
        );
        await client.listTools();
        await client.callTool('t', { n: 1 });
        expect(problems).toEqual([
          expect.stringContaining('output schema of tool t cannot be used'),
        ]);
        expect(await host.visits()).toBe(0);
      },
    );
  }

  test(
    'sends earlier arguments with a completion',
    proves({ ...subject, wire: 'any' }, 'completion.context'),
    async () => {
      const { client, server } = await connect(place, {
        'completion/complete': () => complete(era, { completion: { values: ['x'] } }),
      });
      await client.complete(
        { type: 'ref/prompt', name: 'p' },
        { name: 'b', value: 'x' },
        { chosen: { a: '1' } },
      );
      expect(sent(server, 'completion/complete')[0]?.params).toMatchObject({
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'b', value: 'x' },
        context: { arguments: { a: '1' } },
      });
    },
  );
});

describe.each(CLIENT_SETUPS.filter(({ era }) => era === 'modern'))(
  'the subscriptions of a client, $era over $wire',
  ({ era, wire }) => {
    const place = { era, wire };
    const subject = { side: 'client', era, wire } as const;
    const honour: Script = {
      'subscriptions/listen': ({ id, params }, raw) => {
        raw.send(
          {
            jsonrpc: '2.0',
            method: 'notifications/subscriptions/acknowledged',
            params: { notifications: params?.notifications, _meta: { [Key.subscriptionId]: id } },
          },
          id,
        );
        return undefined;
      },
    };
    const updated = (uri: string, id: Message['id']) => ({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri, _meta: { [Key.subscriptionId]: id } },
    });

    test(
      'several are kept apart',
      proves(
        subject,
        'listen.several',
        ...(wire === 'stdio' ? (['stdio.subscription-id'] as const) : []),
      ),
      async () => {
        const heard: string[] = [];
        const { client, server } = await connect(place, honour);
        await client.watch({
          resources: ['x:1'],
          onResourceUpdated: (uri) => heard.push(`first ${uri}`),
        });
        await client.watch({
          resources: ['x:2'],
          onResourceUpdated: (uri) => heard.push(`second ${uri}`),
        });
        const [first, second] = sent(server, 'subscriptions/listen').map(({ id }) => id);
        server.send(updated('x:2', second), second);
        server.send(updated('x:1', first), first);
        await expect.poll(() => heard.toSorted()).toEqual(['first x:1', 'second x:2']);
      },
    );

    test(
      'the acknowledged filter can be compared',
      proves(subject, 'listen.compared'),
      async () => {
        const { client } = await connect(place, {
          'subscriptions/listen': ({ id }, raw) => {
            raw.send(
              {
                jsonrpc: '2.0',
                method: 'notifications/subscriptions/acknowledged',
                params: {
                  notifications: { toolsListChanged: true },
                  _meta: { [Key.subscriptionId]: id },
                },
              },
              id,
            );
            return undefined;
          },
        });
        const watch = await client.watch({ onToolsChanged: () => undefined, resources: ['x:1'] });
        expect(watch.filter).toEqual({ toolsListChanged: true });
      },
    );
  },
);

describe('the cache of a client', () => {
  const subject = { side: 'client', era: 'modern', wire: 'any' } as const;
  const place = { era: 'modern', wire: 'stdio' } as const;
  let reads = 0;
  const read = (hints: JsonObject): Script => ({
    'resources/read': ({ params }) => ({
      result: {
        resultType: 'complete',
        contents: [{ uri: params?.uri, text: String(++reads) }],
        ...hints,
      },
    }),
  });

  test(
    'keeps results for their parameters as long as they are fresh',
    proves(subject, 'cache.key', 'cache.freshness'),
    async () => {
      const { client, server } = await connect(
        place,
        read({ ttlMs: 60_000, cacheScope: 'public' }),
      );
      const [one, again, other] = [
        await client.readResource('x:1'),
        await client.readResource('x:1'),
        await client.readResource('x:2'),
      ];
      expect(again).toEqual(one);
      expect(other[0]?.uri).toBe('x:2');
      expect(sent(server, 'resources/read').map(({ params }) => params?.uri)).toEqual([
        'x:1',
        'x:2',
      ]);
    },
  );

  test.for<JsonObject>([
    { ttlMs: 0, cacheScope: 'public' },
    { ttlMs: -5, cacheScope: 'public' },
    {},
  ])('%j is stale at once', proves(subject, 'cache.freshness'), async (hints) => {
    const { client, server } = await connect(place, read(hints));
    await client.readResource('x:1');
    await client.readResource('x:1');
    expect(sent(server, 'resources/read')).toHaveLength(2);
  });

  test('expiry starts no request', proves(subject, 'cache.no-polling'), async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { client, server } = await connect(place, read({ ttlMs: 5, cacheScope: 'public' }));
    await client.readResource('x:1');
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(sent(server, 'resources/read')).toHaveLength(1);
    await client.readResource('x:1');
    expect(sent(server, 'resources/read')).toHaveLength(2);
  });

  test('private results stay with their principal', proves(subject, 'cache.private'), async () => {
    let principal = 'ada';
    const { client, server } = await connect(
      place,
      read({ ttlMs: 60_000, cacheScope: 'private' }),
      { cache: { authorization: () => principal } },
    );
    await client.readResource('x:1');
    principal = 'bob';
    await client.readResource('x:1');
    await client.readResource('x:1');
    expect(sent(server, 'resources/read')).toHaveLength(2);
  });

  test('results of retries are not kept', proves(subject, 'cache.no-retries'), async () => {
    const { client, server } = await connect(
      place,
      {
        'resources/read': ({ params }) =>
          params?.inputResponses === undefined
            ? {
                result: {
                  resultType: 'input_required',
                  inputRequests: {
                    q: {
                      method: 'elicitation/create',
                      params: { message: 'm', requestedSchema: { type: 'object', properties: {} } },
                    },
                  },
                },
              }
            : {
                result: {
                  resultType: 'complete',
                  contents: [],
                  ttlMs: 60_000,
                  cacheScope: 'public',
                },
              },
      },
      { handlers: { elicit: () => Promise.resolve({ action: 'decline' }) } },
    );
    await client.readResource('x:1');
    await client.readResource('x:1');
    expect(sent(server, 'resources/read')).toHaveLength(4);
  });
});
