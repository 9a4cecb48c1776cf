import { createServer } from '@signalbox/mcp-core/server';
import { ProtocolError, ResourceNotFoundError } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { CLIENT_INFO, Key, metaOf, modernMeta } from './message.ts';
import { openRawClient, SERVER_SETUPS } from './raw-client.ts';
import { echo, holdingTool, serverOptions, tool } from './test-tools.ts';

describe.each(SERVER_SETUPS)('a server, $era over $wire', ({ era, wire }) => {
  const subject = { side: 'server', era, wire } as const;
  const open = (tools = [echo], capabilities = {}) =>
    openRawClient(createServer(serverOptions({ tools })), { era, wire, capabilities });

  test.for([[0], [7], [-3], [''], ['0'], ['7']])(
    'repeats the id %j in its answer',
    proves(subject, 'rpc.version', 'rpc.answer-id', 'rpc.answer-shape'),
    async ([id]) => {
      const client = await open();
      const answer = await client.request(
        'tools/call',
        { name: 'echo', arguments: { text: 'hi' } },
        id,
      );
      expect(answer).toMatchObject({
        jsonrpc: '2.0',
        id,
        result: { content: [{ type: 'text', text: 'hi' }] },
      });
      expect(Object.keys(answer).toSorted()).toEqual(['id', 'jsonrpc', 'result']);
    },
  );

  test(
    'an error has an id, an integer code and a message',
    proves(subject, 'rpc.error-shape', 'rpc.answer-shape', 'rpc.method-unknown'),
    async () => {
      const client = await open();
      const answer = await client.request('no/such');
      expect(answer).toEqual({
        jsonrpc: '2.0',
        id: 'raw-' + (era === 'legacy' ? '2' : '1'),
        error: { code: -32601, message: expect.any(String) as string },
      });
    },
  );

  test('text of every kind is returned unchanged', proves(subject, 'rpc.utf-8'), async () => {
    const client = await open();
    const text = 'é ß 漢字 🎛️ \u2028 \u0000 "\\ \n end';
    expect(await client.request('tools/call', { name: 'echo', arguments: { text } })).toMatchObject(
      { result: { content: [{ text }] } },
    );
  });

  test('a request with the id null is not executed', proves(subject, 'rpc.id-null'), async () => {
    let calls = 0;
    const client = await open([tool('count', () => ({ structuredContent: { calls: ++calls } }))]);
    client.send({
      jsonrpc: '2.0',
      id: null,
      method: 'tools/call',
      params: { name: 'count', _meta: era === 'modern' ? modernMeta() : {} },
    });
    expect(await client.find((message) => message.error !== undefined)).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: expect.any(String) as string },
    });
    await client.settled();
    expect(calls).toBe(0);
  });

  test(
    'notifications of any kind get no response',
    proves(subject, 'rpc.notification-unanswered'),
    async () => {
      const client = await open();
      client.notify('notifications/no-such', { odd: true });
      client.notify('tools/call', { name: 'echo' });
      client.notify('notifications/cancelled', { requestId: { not: 'an id' } });
      await client.settled();
      expect(client.received.filter((message) => message.id === undefined)).toEqual([]);
      expect(client.received).toHaveLength(era === 'legacy' ? 2 : 1);
    },
  );

  test(
    'its notifications have no id',
    proves(subject, 'rpc.notification-no-id', 'rpc.version'),
    async () => {
      const client = await open([
        tool('progress', (_args, context) => {
          context.progress({ progress: 1 });
          return { content: [] };
        }),
      ]);
      await client.request('tools/call', { name: 'progress', _meta: { progressToken: 'p' } });
      const [progress] = client.received.filter((message) => message.method !== undefined);
      expect(progress).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p', progress: 1 },
      });
    },
  );

  test(
    'the keys in _meta reach the handler, including reserved ones',
    proves(
      subject,
      'meta.reserved-keys',
      ...(era === 'modern' ? (['meta.trace-context'] as const) : []),
    ),
    async () => {
      const client = await open([tool('meta', (_args, { meta }) => ({ structuredContent: meta }))]);
      const meta = {
        'io.modelcontextprotocol/later': { any: [1] },
        'example.com/own': 1,
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        tracestate: 'a=b',
      };
      expect(await client.request('tools/call', { name: 'meta', _meta: meta })).toMatchObject({
        result: { structuredContent: meta },
      });
    },
  );

  test(
    'its own keys have a reversed domain, or are defined by the specification',
    proves(subject, 'meta.key-names', 'meta.reverse-dns'),
    async () => {
      const client = await open();
      const answers = [
        await client.request('tools/list'),
        await client.request('tools/call', { name: 'echo' }),
      ];
      for (const { result } of answers)
        for (const key of Object.keys(metaOf(result)))
          expect(key).toMatch(
            /^(?:io\.modelcontextprotocol|dev\.signalbox)\/[a-z][a-z0-9-]*[a-z0-9]$/i,
          );
    },
  );
});

describe.each(SERVER_SETUPS.filter(({ era }) => era === 'legacy'))(
  'a server, $era over $wire',
  ({ era, wire }) => {
    const subject = { side: 'server', era, wire } as const;

    test(
      'its own requests have unique ids',
      proves(subject, 'rpc.server-request-id', 'rpc.id-once'),
      async () => {
        const asking = tool('ask', async (_args, context) => {
          await context.elicit('a', {
            message: 'one',
            requestedSchema: { type: 'object', properties: {} },
          });
          await context.elicit('b', {
            message: 'two',
            requestedSchema: { type: 'object', properties: {} },
          });
          return { content: [] };
        });
        const client = await openRawClient(createServer(serverOptions({ tools: [asking] })), {
          era,
          wire,
          capabilities: { elicitation: {} },
        });
        const id = client.ask('tools/call', { name: 'ask' });
        const first = await client.find((message) => message.params?.message === 'one');
        client.send({ jsonrpc: '2.0', id: first.id, result: { action: 'decline' } });
        const second = await client.find((message) => message.params?.message === 'two');
        client.send({ jsonrpc: '2.0', id: second.id, result: { action: 'decline' } });
        expect(await client.answer(id)).toHaveProperty('result');
        expect([first, second]).toMatchObject([
          { jsonrpc: '2.0', method: 'elicitation/create' },
          { jsonrpc: '2.0', method: 'elicitation/create' },
        ]);
        for (const { id: own } of [first, second])
          expect(typeof own === 'string' || Number.isInteger(own)).toBe(true);
        expect(first.id).not.toBe(second.id);
      },
    );

    test('a batch gets the responses to its requests', proves(subject, 'rpc.batch'), async () => {
      const client = await openRawClient(createServer(serverOptions({ tools: [echo] })), {
        era,
        wire,
        version: '2025-03-26',
      });
      client.send([
        { jsonrpc: '2.0', id: 'a', method: 'ping' },
        { jsonrpc: '2.0', method: 'notifications/no-such' },
        { jsonrpc: '2.0', id: 'b', method: 'no/such' },
      ]);
      expect(await client.answer('a')).toEqual({ jsonrpc: '2.0', id: 'a', result: {} });
      expect(await client.answer('b')).toMatchObject({ error: { code: -32601 } });
    });
  },
);

describe.each(SERVER_SETUPS.filter(({ era }) => era === 'modern'))(
  'a server, $era over $wire',
  ({ era, wire }) => {
    const subject = { side: 'server', era, wire } as const;
    const open = (tools = [echo]) =>
      openRawClient(createServer(serverOptions({ tools })), { era, wire });

    test(
      'every result has a resultType and the server info',
      proves(subject, 'result.type', 'meta.server-info'),
      async () => {
        const client = await open();
        for (const [method, params] of [
          ['server/discover', {}],
          ['tools/list', {}],
          ['tools/call', { name: 'echo' }],
        ] as const) {
          const { result } = await client.request(method, params);
          expect(result).toMatchObject({
            resultType: 'complete',
            _meta: { [Key.serverInfo]: { name: 'raw server', version: '1' } },
          });
        }
      },
    );

    test.for([
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/read',
      'prompts/list',
      'prompts/get',
      'completion/complete',
      'resources/templates/list',
    ])(
      '%s of a feature it does not advertise is -32601',
      proves(subject, 'rpc.capability-off'),
      async (method) => {
        const client = await openRawClient(createServer(serverOptions()), { era, wire });
        expect(await client.request(method, { name: 'x', uri: 'x:y' })).toMatchObject({
          error: { code: -32601 },
        });
      },
    );

    test.for([-32_002, -32_042, -32_099, -32_023, -32_050])(
      'the code %i of a handler is not sent',
      proves(subject, 'code.reserved'),
      async (code) => {
        const read = (): never => {
          throw code === -32_002
            ? new ResourceNotFoundError('x:y')
            : new ProtocolError(code, 'odd');
        };
        const client = await openRawClient(
          createServer(
            serverOptions({ resources: { list: () => Promise.resolve({ resources: [] }), read } }),
          ),
          { era, wire },
        );
        const { error } = await client.request('resources/read', { uri: 'x:y' });
        expect([-32_602, -32_603]).toContain(error?.code);
      },
    );

    test.for([
      ['no protocol version', { [Key.clientCapabilities]: {} }],
      ['no capabilities', { [Key.protocolVersion]: '2026-07-28' }],
      [
        'a protocol version that is no string',
        { [Key.protocolVersion]: 7, [Key.clientCapabilities]: {} },
      ],
      [
        'capabilities that are no object',
        { [Key.protocolVersion]: '2026-07-28', [Key.clientCapabilities]: [] },
      ],
    ] as const)(
      'a request with %s is -32602',
      proves(subject, 'meta.missing-key'),
      async ([, meta]) => {
        const client = await open();
        client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
        expect(await client.answer(1)).toEqual({
          jsonrpc: '2.0',
          id: 1,
          error: { code: -32_602, message: expect.any(String) as string },
        });
        expect(client.statusOf(1)).toBe(wire === 'http' ? 400 : undefined);
      },
    );

    test(
      'a request without clientInfo, or with any, is served alike',
      proves(subject, 'meta.client-info-absent', 'meta.info-is-display'),
      async () => {
        const client = await open();
        const answers = [];
        for (const info of [
          undefined,
          CLIENT_INFO,
          { name: 'root', version: '999', title: 'Administrator' },
        ]) {
          const id = `with ${info?.name}`;
          const meta = {
            [Key.protocolVersion]: '2026-07-28',
            [Key.clientCapabilities]: {},
            ...(info === undefined ? {} : { [Key.clientInfo]: info }),
          };
          client.send({
            jsonrpc: '2.0',
            id,
            method: 'tools/call',
            params: { name: 'echo', arguments: { text: 'x' }, _meta: meta },
          });
          answers.push((await client.answer(id)).result);
        }
        expect(answers[0]).toMatchObject({ content: [{ text: 'x' }] });
        expect(answers[1]).toEqual(answers[0]);
        expect(answers[2]).toEqual(answers[0]);
      },
    );

    test(
      'an undeclared input request is -32021 with the required capability',
      proves(subject, 'meta.missing-capability', 'stateless.no-inference'),
      async () => {
        const ask = tool('ask', async (_args, context) => ({
          structuredContent: await context.elicit('q', {
            message: 'yes?',
            requestedSchema: { type: 'object', properties: {} },
          }),
        }));
        const client = await open([ask]);
        // An earlier request of the connection that declares it has no effect.
        expect(
          await client.request('tools/call', {
            name: 'ask',
            _meta: modernMeta({ elicitation: {} }),
          }),
        ).toMatchObject({ result: { resultType: 'input_required' } });
        expect(await client.request('tools/call', { name: 'ask' }, 'bare')).toMatchObject({
          error: { code: -32_021, data: { requiredCapabilities: { elicitation: {} } } },
        });
        expect(client.statusOf('bare')).toBe(wire === 'http' ? 400 : undefined);
      },
    );

    test(
      'it sends no request, whatever input a handler requests',
      proves(subject, 'stateless.no-server-request'),
      async () => {
        const ask = tool('ask', async (_args, context) => {
          await context.gather({
            a: { listRoots: true },
            b: { elicit: { message: 'b', requestedSchema: { type: 'object', properties: {} } } },
            c: { sample: { messages: [], maxTokens: 1 } },
          });
          return { content: [] };
        });
        const client = await open([ask]);
        const answer = await client.request('tools/call', {
          name: 'ask',
          _meta: modernMeta({ elicitation: {}, sampling: {}, roots: {} }),
        });
        expect(answer).toMatchObject({ result: { resultType: 'input_required' } });
        await client.settled();
        expect(client.received.filter((message) => message.method !== undefined)).toEqual([]);
      },
    );

    test(
      'conversations on one connection do not block each other',
      proves(subject, 'stateless.interleaved'),
      async () => {
        const holding = holdingTool();
        const client = await open([holding.tool, echo]);
        const held = client.ask('tools/call', { name: 'hold' });
        await holding.started;
        expect(
          await client.request('tools/call', { name: 'echo', arguments: { text: 'meanwhile' } }),
        ).toMatchObject({ result: { content: [{ text: 'meanwhile' }] } });
        holding.finish();
        expect(await client.answer(held)).toMatchObject({
          result: { content: [{ text: 'done' }] },
        });
      },
    );

    test(
      'a retry may use another connection',
      proves(subject, 'stateless.no-affinity'),
      async () => {
        const ask = tool('ask', async (_args, context) => ({
          structuredContent: await context.elicit('q', {
            message: 'yes?',
            requestedSchema: { type: 'object', properties: {} },
          }),
        }));
        const server = createServer(serverOptions({ tools: [ask] }));
        const meta = modernMeta({ elicitation: {} });
        const one = await openRawClient(server, { era, wire });
        const { result } = await one.request('tools/call', { name: 'ask', _meta: meta });
        const [key] = Object.keys(result?.inputRequests as object);
        const other = await openRawClient(server, { era, wire });
        const retry = {
          name: 'ask',
          requestState: result?.requestState,
          inputResponses: { [key!]: { action: 'decline' } },
          _meta: meta,
        };
        expect(await other.request('tools/call', retry)).toMatchObject({
          result: { resultType: 'complete', structuredContent: { action: 'decline' } },
        });
      },
    );
  },
);
