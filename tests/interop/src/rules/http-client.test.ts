import { connectClient, type Client, type ClientOptions } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import type { Era, JsonObject } from '@signalbox/mcp-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { CLIENT_INFO, Key, type Message } from './message.ts';
import { RawHttpServer } from './raw-http-server.ts';
import { complete, discovered, initialized } from './raw-server.ts';
import type { Script } from './script.ts';

async function connect(
  era: Era,
  script: Script = {},
  options: Partial<ClientOptions> = {},
): Promise<{ readonly client: Client; readonly server: RawHttpServer }> {
  const server = await RawHttpServer.start(
    {
      'server/discover': discovered,
      initialize: initialized(),
      ping: () => ({ result: {} }),
      ...script,
    },
    (url) => httpTransport({ url }),
  );
  onTestFinished(() => server.close());
  const client = await connectClient(() => server.open(), { info: CLIENT_INFO, era, ...options });
  onTestFinished(() => client.close());
  return { client, server };
}

const isBoth = (accept: string | undefined) =>
  ['application/json', 'text/event-stream'].every((type) => accept?.includes(type) === true);

describe('a client, modern over HTTP', () => {
  const subject = { side: 'client', era: 'modern', wire: 'http' } as const;
  const text = ({ params }: Message) => ({
    result: {
      resultType: 'complete',
      content: [{ type: 'text', text: JSON.stringify(params?.arguments) }],
    },
  });
  const list =
    (...tools: JsonObject[]) =>
    () => ({ result: { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' } });

  test(
    'POSTs each message with the headers that mirror it',
    proves(
      subject,
      'http.post-each',
      'http.accept',
      'http.version-header',
      'http.method-header',
      'http.name-header',
    ),
    async () => {
      const { client, server } = await connect('modern', {
        'tools/call': text,
        'prompts/get': () => ({ result: { resultType: 'complete', messages: [] } }),
        'resources/read': () => ({ result: { resultType: 'complete', contents: [] } }),
      });
      await Promise.all([
        client.callTool('echo', {}),
        client.getPrompt('greet'),
        client.readResource('file:///a'),
      ]);
      expect(
        server.arrivals.map(({ method, message, headers }) => [
          method,
          message?.method,
          headers['mcp-method'],
          headers['mcp-name'],
          headers['mcp-protocol-version'],
        ]),
      ).toEqual([
        ['POST', 'server/discover', 'server/discover', undefined, '2026-07-28'],
        ['POST', 'tools/call', 'tools/call', 'echo', '2026-07-28'],
        ['POST', 'prompts/get', 'prompts/get', 'greet', '2026-07-28'],
        ['POST', 'resources/read', 'resources/read', 'file:///a', '2026-07-28'],
      ]);
      expect(
        server.arrivals.every(
          ({ headers }) => isBoth(headers.accept) && headers['mcp-session-id'] === undefined,
        ),
      ).toBe(true);
    },
  );

  test.for([
    ['file:///ü', 'w7w='],
    [' a', ''],
    ['=?base64?eA==?=', ''],
  ])('encodes the name %j', proves(subject, 'http.name-encoded'), async ([uri]) => {
    const { client, server } = await connect('modern', {
      'resources/read': () => ({ result: { resultType: 'complete', contents: [] } }),
    });
    await client.readResource(uri!);
    expect(server.posts('resources/read')[0]?.headers['mcp-name']).toBe(
      `=?base64?${Buffer.from(uri!).toString('base64')}?=`,
    );
  });

  test(
    'reads responses as JSON and as a stream, with comments, ids, CRLF and odd headers',
    proves(subject, 'http.both-types', 'http.comments', 'http.header-names'),
    async () => {
      const { client } = await connect('modern', {
        'tools/call': (request, raw) => {
          if (request.params?.name === 'json') return text(request);
          const answer = JSON.stringify({ jsonrpc: '2.0', id: request.id, ...text(request) });
          const [start, end] = [answer.slice(0, 20), answer.slice(20)];
          (raw as RawHttpServer).write(
            `: hello\n\n: id: 7\r\n\r\nretry: 5\nid: 9\nevent: message\ndata: ${start}`,
            request.id,
          );
          (raw as RawHttpServer).write(`${end}\n\n`, request.id);
          return undefined;
        },
      });
      expect(await client.callTool('json', { a: 1 })).toMatchObject({
        content: [{ text: '{"a":1}' }],
      });
      expect(await client.callTool('stream', { a: 2 })).toMatchObject({
        content: [{ text: '{"a":2}' }],
      });
    },
  );

  test('cancels by closing the stream', proves(subject, 'http.cancel'), async () => {
    const { client, server } = await connect('modern', { 'tools/call': () => undefined });
    const stop = new AbortController();
    const call = client.callTool('t', {}, { signal: stop.signal });
    const { id } = await server.inbox.find((message) => message.method === 'tools/call');
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
    await expect.poll(() => server.abandoned).toEqual([id]);
    expect(server.posts('notifications/cancelled')).toEqual([]);
  });

  test(
    'resumes nothing: a broken stream is requested again',
    proves(subject, 'http.ask-again'),
    async () => {
      let streams = 0;
      const { client, server } = await connect('modern', {
        'subscriptions/listen': ({ id, params }, raw) => {
          streams += 1;
          raw.send(
            {
              jsonrpc: '2.0',
              method: 'notifications/subscriptions/acknowledged',
              params: { notifications: params?.notifications, _meta: { [Key.subscriptionId]: id } },
            },
            id,
          );
          if (streams === 1)
            setImmediate(() => {
              (raw as RawHttpServer).endStream(id);
            });
          return undefined;
        },
      });
      await client.watch({ resources: ['x:1'] });
      await expect.poll(() => streams).toBe(2);
      const [first, second] = server.posts('subscriptions/listen');
      expect(first?.message?.id).not.toBe(second?.message?.id);
      expect(
        server.arrivals.filter(
          ({ method, headers }) => method === 'GET' || headers['last-event-id'] !== undefined,
        ),
      ).toEqual([]);
    },
  );

  describe('with arguments in headers', () => {
    const marked = {
      name: 'marked',
      inputSchema: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          count: { type: 'integer', 'x-mcp-header': 'Count' },
          dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
          where: {
            type: 'object',
            properties: { tenant: { type: 'string', 'x-mcp-header': 'Tenant' } },
          },
          plain: { type: 'string' },
        },
      },
    };

    test.for<[JsonObject, object]>([
      [{ region: 'eu', plain: 'x' }, { 'mcp-param-region': 'eu' }],
      [{ where: { tenant: 't1' } }, { 'mcp-param-tenant': 't1' }],
      [{ tenant: 'elsewhere', where: {} }, {}],
      [{ region: null, where: null }, {}],
      [{}, {}],
      [
        { count: 0, dry: false },
        { 'mcp-param-count': '0', 'mcp-param-dry': 'false' },
      ],
      [
        { count: -9_007_199_254_740_991, dry: true },
        { 'mcp-param-count': '-9007199254740991', 'mcp-param-dry': 'true' },
      ],
      [{ region: 'ü' }, { 'mcp-param-region': '=?base64?w7w=?=' }],
      [{ region: ' eu' }, { 'mcp-param-region': '=?base64?IGV1?=' }],
      [
        { region: 'a\r\nX-Evil: 1' },
        { 'mcp-param-region': `=?base64?${Buffer.from('a\r\nX-Evil: 1').toString('base64')}?=` },
      ],
      [
        { region: '=?base64?eA==?=' },
        { 'mcp-param-region': `=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=` },
      ],
    ])(
      'mirrors %j',
      proves(subject, 'http.param-mirrored', 'http.param-omitted', 'http.param-encoded'),
      async ([args, expected]) => {
        const { client, server } = await connect('modern', {
          'tools/list': list(marked),
          'tools/call': text,
        });
        await client.listTools();
        await client.callTool('marked', args);
        const { headers } = server.posts('tools/call')[0]!;
        expect(
          Object.fromEntries(
            Object.entries(headers).filter(([name]) => name.startsWith('mcp-param-')),
          ),
        ).toEqual(expected);
      },
    );

    test.for([
      ['an empty name', { a: { type: 'string', 'x-mcp-header': '' } }],
      ['no token', { a: { type: 'string', 'x-mcp-header': 'a b' } }],
      ['a line break', { a: { type: 'string', 'x-mcp-header': 'a\r\nb' } }],
      [
        'a duplicate',
        {
          a: { type: 'string', 'x-mcp-header': 'Same' },
          b: { type: 'string', 'x-mcp-header': 'sAME' },
        },
      ],
      ['a number', { a: { type: 'number', 'x-mcp-header': 'A' } }],
      ['an object', { a: { type: 'object', 'x-mcp-header': 'A' } }],
      ['items', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }],
      ['a choice', { a: { oneOf: [{ type: 'string', 'x-mcp-header': 'A' }] } }],
      ['a condition', { a: { if: { type: 'string', 'x-mcp-header': 'A' } } }],
    ] as const)(
      'leaves out a tool with %s, and says so',
      proves(subject, 'http.param-invalid-tool', 'http.param-warning'),
      async ([, properties]) => {
        const problems: string[] = [];
        const { client } = await connect(
          'modern',
          {
            'tools/list': list(marked, {
              name: 'broken',
              inputSchema: { type: 'object', properties },
            }),
          },
          { events: { onProblem: ({ message }) => problems.push(message) } },
        );
        expect((await client.listTools()).map(({ name }) => name)).toEqual(['marked']);
        expect(problems).toEqual([expect.stringContaining('broken')]);
      },
    );

    test(
      'lists the tools again when a header is refused',
      proves(subject, 'http.param-relist'),
      async () => {
        let isMarked = false;
        const { client, server } = await connect('modern', {
          'tools/list': () =>
            list(isMarked ? marked : { name: 'marked', inputSchema: { type: 'object' } })(),
          'tools/call': (request, raw) => {
            isMarked = true;
            const { headers } = (raw as RawHttpServer).posts('tools/call').at(-1)!;
            return headers['mcp-param-region'] === undefined
              ? { error: { code: -32_020, message: 'Header mismatch' } }
              : text(request);
          },
        });
        await client.listTools();
        expect(await client.callTool('marked', { region: 'eu' })).toMatchObject({
          content: [{ text: '{"region":"eu"}' }],
        });
        expect(server.posts('tools/list')).toHaveLength(2);
      },
    );
  });
});

describe('a client, legacy over HTTP', () => {
  const subject = { side: 'client', era: 'legacy', wire: 'http' } as const;
  const call: Script = { 'tools/call': () => complete('legacy', { content: [] }) };

  test(
    'POSTs each message with the session and the version',
    proves(
      subject,
      'session-http.post-each',
      'session-http.accept',
      'session-http.id-echoed',
      'session-http.version-header',
      'session-http.version-agreed',
      'session-http.get-accept',
    ),
    async () => {
      const { client, server } = await connect('legacy', {
        ...call,
        initialize: initialized('2025-06-18'),
      });
      await client.callTool('t', {});
      await expect.poll(() => server.arrivals.some(({ method }) => method === 'GET')).toBe(true);
      const [opening, ...later] = server.arrivals;
      expect([opening?.message?.method, opening?.headers['mcp-session-id']]).toEqual([
        'initialize',
        undefined,
      ]);
      expect(later.map(({ message }) => message?.method)).toEqual(
        expect.arrayContaining(['notifications/initialized', 'tools/call']),
      );
      for (const { headers } of later)
        expect([headers['mcp-session-id'], headers['mcp-protocol-version']]).toEqual([
          'session-1',
          '2025-06-18',
        ]);
      expect(
        server.arrivals
          .filter(({ method }) => method === 'POST')
          .every(({ headers, message }) => isBoth(headers.accept) && !Array.isArray(message)),
      ).toBe(true);
      expect(server.arrivals.find(({ method }) => method === 'GET')?.headers.accept).toContain(
        'text/event-stream',
      );
    },
  );

  test(
    'reads responses as JSON and as a stream',
    proves(subject, 'session-http.both-types'),
    async () => {
      const { client } = await connect('legacy', {
        'tools/call': (request, raw) => {
          if (request.params?.name === 'stream')
            raw.send(
              {
                jsonrpc: '2.0',
                method: 'notifications/message',
                params: { level: 'info', data: 1 },
              },
              request.id,
            );
          return complete('legacy', {
            content: [{ type: 'text', text: String(request.params?.name) }],
          });
        },
      });
      for (const name of ['json', 'stream'])
        expect(await client.callTool(name, {})).toMatchObject({ content: [{ text: name }] });
    },
  );

  test('cancels with a notification', proves(subject, 'session-http.cancel'), async () => {
    const { client, server } = await connect('legacy', { 'tools/call': () => undefined });
    const stop = new AbortController();
    const running = client.callTool('t', {}, { signal: stop.signal });
    const { id } = await server.inbox.find((message) => message.method === 'tools/call');
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'request-cancelled' });
    expect(
      await server.inbox.find((message) => message.method === 'notifications/cancelled'),
    ).toMatchObject({ params: { requestId: id } });
  });

  test(
    'resumes a broken stream with the last event id, after the requested delay',
    proves(subject, 'session-http.resume', 'session-http.retry-kept'),
    async () => {
      const times: number[] = [];
      const { client, server } = await connect('legacy', {
        'tools/call': ({ id }, raw) => {
          const http = raw as RawHttpServer;
          http.write('id: e-1\nretry: 300\ndata: \n\n', id);
          setImmediate(() => {
            times.push(performance.now());
            http.endStream(id);
          });
          return undefined;
        },
      });
      const running = client.callTool('t', {});
      const { id } = await server.inbox.find((message) => message.method === 'tools/call');
      await expect
        .poll(() => server.arrivals.some(({ headers }) => headers['last-event-id'] === 'e-1'))
        .toBe(true);
      times.push(performance.now());
      server.send({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'late' }] } });
      expect(await running).toMatchObject({ content: [{ text: 'late' }] });
      expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(290);
      expect(server.posts('tools/call')).toHaveLength(1);
    },
  );

  test(
    'opens a new session without the old id after 404',
    proves(subject, 'session-http.id-lost'),
    async () => {
      const server = await RawHttpServer.start(
        {
          initialize: initialized(),
          ping: () => ({ error: { code: -32_601, message: 'gone' } }),
          ...call,
        },
        (url) => httpTransport({ url }),
      );
      onTestFinished(() => server.close());
      const client = await connectClient(() => server.open(), { info: CLIENT_INFO, era: 'legacy' });
      onTestFinished(() => client.close());
      server.endSession('session-2');
      await client.callTool('t', {}).catch(() => undefined);
      await expect.poll(() => server.posts('initialize').length).toBe(2);
      expect(server.posts('initialize')[1]?.headers['mcp-session-id']).toBeUndefined();
      await client.callTool('t', {});
      expect(server.posts('tools/call').at(-1)?.headers['mcp-session-id']).toBe('session-2');
    },
  );

  test(
    'uses no cursor of the old session in a new one',
    proves({ ...subject, wire: 'any' }, 'pages.session'),
    async () => {
      const { client, server } = await connect('legacy', {
        'tools/list': (_request, raw) => {
          if ((raw as RawHttpServer).sessionId === 'session-1')
            (raw as RawHttpServer).endSession('session-2');
          return { result: { tools: [], nextCursor: 'of session 1' } };
        },
      });
      await client.listTools().catch(() => undefined);
      const inNewSession = server
        .posts('tools/list')
        .filter(({ headers }) => headers['mcp-session-id'] === 'session-2');
      expect(inNewSession.map(({ message }) => message?.params?.cursor)).not.toContain(
        'of session 1',
      );
    },
  );

  test('ends the session when it closes', proves(subject, 'session-http.delete'), async () => {
    const { client, server } = await connect('legacy');
    await client.close();
    expect(server.arrivals.at(-1)).toMatchObject({
      method: 'DELETE',
      headers: { 'mcp-session-id': 'session-1' },
    });
  });
});
