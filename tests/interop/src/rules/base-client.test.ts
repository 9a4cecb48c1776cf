import type { JsonObject } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { CLIENT_INFO, Key, metaOf, type Message } from './message.ts';
import { CLIENT_SETUPS, complete, connect, sent } from './raw-server.ts';
import type { Step } from './script.ts';

const echo: Step = ({ params }) => ({
  result: {
    resultType: 'complete',
    content: [{ type: 'text', text: String((params?.arguments as JsonObject).text) }],
  },
});

describe.each(CLIENT_SETUPS)('a client, $era over $wire', ({ era, wire }) => {
  const place = { era, wire };
  const subject = { side: 'client', era, wire } as const;

  test(
    'numbers its requests with unique ids',
    proves(
      subject,
      'rpc.version',
      'rpc.request-id',
      ...(era === 'legacy' ? (['rpc.id-once'] as const) : (['rpc.id-in-flight'] as const)),
    ),
    async () => {
      const held = Promise.withResolvers<void>();
      const { client, server } = await connect(place, {
        'tools/call': async (request, raw) => {
          await held.promise;
          return echo(request, raw);
        },
      });
      const calls = ['a', 'b', 'c'].map((text) => client.callTool('echo', { text }));
      await expect.poll(() => sent(server, 'tools/call').length).toBe(3);
      held.resolve();
      expect((await Promise.all(calls)).map(({ content }) => content)).toMatchObject([
        [{ text: 'a' }],
        [{ text: 'b' }],
        [{ text: 'c' }],
      ]);
      await client.callTool('echo', { text: 'd' });
      const requests = server.inbox.messages.filter(
        (message) => message.id !== undefined && message.method !== undefined,
      );
      const ids = requests.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const message of server.inbox.messages) expect(message.jsonrpc).toBe('2.0');
      for (const id of ids) expect(typeof id === 'string' || Number.isInteger(id)).toBe(true);
    },
  );

  test('sends and reads text of every kind', proves(subject, 'rpc.utf-8'), async () => {
    const { client } = await connect(place, { 'tools/call': echo });
    const text = 'é ß 漢字 🎛️ \u2028 \u0000 "\\ \n end';
    expect(await client.callTool('echo', { text })).toMatchObject({ content: [{ text }] });
  });

  test(
    'responds to no notification, whatever it is, and its own have no id',
    proves(subject, 'rpc.notification-unanswered', 'rpc.notification-no-id'),
    async () => {
      const { client, server } = await connect(place, {
        'tools/call': (request, raw) => {
          for (const method of ['notifications/odd', 'ping', 'roots/list'])
            raw.send({ jsonrpc: '2.0', method, params: { odd: true } }, request.id);
          return echo(request, raw);
        },
        'resources/subscribe': () => ({ result: {} }),
      });
      await client.callTool('echo', { text: 'x' });
      const stop = new AbortController();
      const silent = client
        .callTool('silent', {}, { signal: stop.signal, timeoutMs: 60_000 })
        .catch(() => undefined);
      stop.abort();
      await silent;
      await client.ping();
      expect(server.inbox.messages.filter((message) => message.method === undefined)).toEqual([]);
      for (const message of server.inbox.messages)
        expect('id' in message).toBe(!message.method!.startsWith('notifications/'));
    },
  );

  test(
    'keys of _meta that the caller sets are sent unchanged',
    proves(
      subject,
      'meta.reserved-keys',
      'meta.key-names',
      ...(era === 'modern' ? (['meta.trace-context'] as const) : []),
    ),
    async () => {
      const { client, server } = await connect(place, { 'tools/call': echo });
      const meta = {
        'io.modelcontextprotocol/later': [1],
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        tracestate: 'a=b',
        baggage: 'c=d',
      };
      await client.callTool('echo', { text: '' }, { meta });
      const [call] = sent(server, 'tools/call');
      const {
        'io.modelcontextprotocol/later': _later,
        traceparent: _parent,
        tracestate: _state,
        baggage: _baggage,
        progressToken: _token,
        ...own
      } = metaOf(call?.params);
      expect(metaOf(call?.params)).toMatchObject(meta);
      for (const key of Object.keys(own))
        expect(key).toMatch(/^io\.modelcontextprotocol\/[a-z]\w*$/i);
    },
  );

  test(
    'returns structured results and unknown members unchanged',
    proves({ ...subject, wire: 'any' }, 'custom.messages'),
    async () => {
      const { client } = await connect(place, {
        'tools/call': () =>
          complete(era, {
            content: [],
            structuredContent: { any: [1, null] },
            _meta: { 'a.b/c': 1 },
            later: true,
          }),
      });
      expect(await client.callTool('echo', {})).toMatchObject({
        content: [],
        structuredContent: { any: [1, null] },
        _meta: { 'a.b/c': 1 },
      });
    },
  );
});

describe.each(CLIENT_SETUPS.filter(({ era }) => era === 'legacy'))(
  'a client, $era over $wire',
  ({ era, wire }) => {
    const place = { era, wire };
    const subject = { side: 'client', era, wire } as const;

    /** Makes the server send an input request during a call and returns the client's response. */
    async function ask(
      inputRequest: Message,
      options: Parameters<typeof connect>[2] = {},
    ): Promise<Message> {
      const { client, server } = await connect(
        place,
        {
          'tools/call': async (request, raw) => {
            raw.send(inputRequest, request.id);
            await raw.inbox.find((message) => message.method === undefined);
            return { result: { content: [] } };
          },
        },
        options,
      );
      await client.callTool('ask', {});
      return server.inbox.find((message) => message.method === undefined);
    }

    test.for([[0], ['0'], [''], ['a b'], [-1]])(
      'answers with the id %j of the input request',
      proves(subject, 'rpc.client-answer-id', 'rpc.client-answer-shape', 'ping.answer'),
      async ([id]) => {
        expect(await ask({ jsonrpc: '2.0', id: id!, method: 'ping' })).toEqual({
          jsonrpc: '2.0',
          id,
          result: {},
        });
      },
    );

    test(
      'refuses unknown methods',
      proves(
        subject,
        'rpc.client-method-unknown',
        'rpc.client-error-shape',
        'rpc.client-answer-shape',
        'roots.unsupported',
      ),
      async () => {
        for (const method of [
          'no/such',
          'roots/list',
          'sampling/createMessage',
          'elicitation/create',
        ]) {
          const answer = await ask({ jsonrpc: '2.0', id: 7, method, params: {} });
          expect(answer).toEqual({
            jsonrpc: '2.0',
            id: 7,
            error: { code: -32_601, message: expect.any(String) as string },
          });
        }
      },
    );

    test('reads a batch', proves(subject, 'rpc.batch', 'rpc.batch-initialize'), async () => {
      const { client, server } = await connect(place, {
        initialize: () => ({
          result: {
            protocolVersion: '2025-03-26',
            capabilities: { tools: {} },
            serverInfo: { name: 's', version: '1' },
          },
        }),
        'tools/call': async (request, raw) => {
          raw.send(
            [
              { jsonrpc: '2.0', id: 'a', method: 'ping' },
              { jsonrpc: '2.0', id: 'b', method: 'no/such' },
            ],
            request.id,
          );
          await Promise.all(['a', 'b'].map((id) => raw.inbox.find((message) => message.id === id)));
          return { result: { content: [] } };
        },
      });
      await client.callTool('batch', {});
      expect(await server.inbox.find((message) => message.id === 'a')).toEqual({
        jsonrpc: '2.0',
        id: 'a',
        result: {},
      });
      expect(await server.inbox.find((message) => message.id === 'b')).toMatchObject({
        error: { code: -32_601 },
      });
      // Otherwise the inbox would not begin with initialize.
      expect(server.inbox.messages[0]).toMatchObject({ method: 'initialize' });
    });
  },
);

describe.each(CLIENT_SETUPS.filter(({ era }) => era === 'modern'))(
  'a client, $era over $wire',
  ({ era, wire }) => {
    const place = { era, wire };
    const subject = { side: 'client', era, wire } as const;

    test(
      'every request carries version, capabilities and client',
      proves(subject, 'meta.client-keys', 'meta.client-info'),
      async () => {
        const { client, server } = await connect(place, {
          'tools/call': echo,
          'tools/list': () => ({
            result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' },
          }),
        });
        await client.callTool('echo', { text: '' });
        await client.listTools();
        await client.ping();
        expect(server.inbox.messages.length).toBeGreaterThanOrEqual(3);
        for (const { params } of server.inbox.messages) {
          expect(metaOf(params)).toMatchObject({
            [Key.protocolVersion]: '2026-07-28',
            [Key.clientCapabilities]: {},
            [Key.clientInfo]: CLIENT_INFO,
          });
        }
      },
    );

    test(
      'a result without resultType is complete',
      proves(subject, 'result.type-absent'),
      async () => {
        const { client } = await connect(place, {
          'tools/call': () => ({ result: { content: [{ type: 'text', text: 'old' }] } }),
        });
        expect(await client.callTool('echo', {})).toMatchObject({ content: [{ text: 'old' }] });
      },
    );

    test.for(['later', '', 'Complete', 7, null])(
      'a result of the type %j is invalid',
      proves(subject, 'result.type-unknown'),
      async (resultType) => {
        const { client } = await connect(place, {
          'tools/call': () => ({ result: { resultType, content: [] } }),
        });
        await expect(client.callTool('echo', {})).rejects.toMatchObject({
          code: 'invalid-response',
        });
      },
    );

    test.for([-32_000, -32_001, -32_003, -32_019])(
      'the code %i is an error like any other',
      proves(subject, 'code.no-meaning'),
      async (code) => {
        const { client } = await connect(place, {
          'tools/call': () => ({ error: { code, message: 'odd' } }),
        });
        await expect(client.callTool('echo', {})).rejects.toMatchObject({ code, message: 'odd' });
      },
    );

    test(
      'never responds to a request of the server',
      proves(subject, 'stateless.no-client-response'),
      async () => {
        const { client, server } = await connect(
          place,
          {
            'tools/call': (request, raw) => {
              for (const method of ['ping', 'roots/list', 'elicitation/create', 'no/such'])
                raw.send({ jsonrpc: '2.0', id: `own ${method}`, method, params: {} }, request.id);
              return echo(request, raw);
            },
          },
          {
            handlers: {
              listRoots: () => Promise.resolve([]),
              elicit: () => Promise.resolve({ action: 'decline' }),
            },
          },
        );
        await client.callTool('echo', { text: 'x' });
        await client.ping();
        expect(server.inbox.messages.filter((message) => message.method === undefined)).toEqual([]);
      },
    );
  },
);
