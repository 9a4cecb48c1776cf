import { createServer, type ServerOptions } from '@signalbox/mcp-core/server';
import { serveHttp, type ServeHttpOptions } from '@signalbox/mcp-core/http/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { modernHeaders } from './http-wire.ts';
import { Key, modernMeta, type Message } from './message.ts';
import { readEvents } from './read-events.ts';
import { echo, holdingTool, serverOptions, tool } from './test-tools.ts';

const subject = { side: 'server', era: 'modern', wire: 'http' } as const;
const ACCEPT = 'application/json, text/event-stream';
/** Header fields of a test; `undefined` removes a field that is sent by default. */
type Headers = { readonly [name: string]: string | undefined };

async function listen(
  options: Partial<ServerOptions> = { tools: [echo] },
  http: ServeHttpOptions = {},
): Promise<string> {
  const listener = await serveHttp(createServer(serverOptions(options)), {
    onError: () => undefined,
    ...http,
  });
  onTestFinished(() => listener.close());
  return listener.url;
}

function message(method: string, params: object = {}, id?: number): Message {
  return {
    jsonrpc: '2.0',
    ...(id === undefined ? {} : { id }),
    method,
    params: { ...params, _meta: modernMeta() },
  };
}

/** Sends a POST with the headers of its message, changed by `headers`. */
async function post(
  url: string,
  body: Message,
  headers: Headers = {},
  signal?: AbortSignal,
): Promise<Response> {
  const all: Headers = {
    'content-type': 'application/json',
    accept: ACCEPT,
    ...modernHeaders(body),
    ...headers,
  };
  const sent = Object.entries(all).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  return fetch(url, {
    method: 'POST',
    headers: sent,
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

const call = (args: object = {}, name = 'echo', id = 1): Message =>
  message('tools/call', { name, arguments: args }, id);
const refused = {
  jsonrpc: '2.0',
  id: 1,
  error: { code: -32_020, message: expect.any(String) as string },
};

describe('the modern endpoint of a server', () => {
  test(
    'accepts a POST and responds with JSON',
    proves(subject, 'http.endpoint', 'http.answer-type'),
    async () => {
      const response = await post(await listen(), call({ text: 'hi' }));
      expect([
        response.status,
        response.headers.get('content-type'),
        response.headers.get('mcp-session-id'),
      ]).toEqual([200, 'application/json', null]);
      expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: 'hi' }] } });
    },
  );

  test(
    'responds with a stream when there are other messages; the response ends it',
    proves(subject, 'http.answer-type', 'http.own-stream', 'http.stream-ends', 'http.no-buffering'),
    async () => {
      const url = await listen({
        tools: [
          tool('report', (_args, context) => {
            context.progress({ progress: 1 });
            context.log('info', 'x');
            return { content: [] };
          }),
        ],
      });
      const body = message('tools/call', { name: 'report' }, 1);
      const response = await post(url, {
        ...body,
        params: {
          ...body.params,
          _meta: { ...modernMeta(), progressToken: 'p', [Key.logLevel]: 'debug' },
        },
      });
      expect([
        response.status,
        response.headers.get('content-type'),
        response.headers.get('x-accel-buffering'),
      ]).toEqual([200, 'text/event-stream', 'no']);
      const events: Message[] = [];
      for await (const { data } of readEvents(response)) events.push(JSON.parse(data) as Message);
      expect(events.map(({ method, id }) => method ?? id)).toEqual([
        'notifications/progress',
        'notifications/message',
        1,
      ]);
    },
  );

  test(
    'sends the messages of a request on its own stream',
    proves(subject, 'logging.own-stream', 'http.own-stream'),
    async () => {
      const holding = holdingTool();
      const url = await listen({
        tools: [
          holding.tool,
          tool('log', (_args, context) => {
            context.log('error', 'mine');
            return { content: [] };
          }),
        ],
      });
      const listening = await post(
        url,
        message('subscriptions/listen', { notifications: { toolsListChanged: true } }, 7),
      );
      const events = readEvents(listening);
      const opening = (await events.next()) as IteratorYieldResult<{ readonly data: string }>;
      expect(JSON.parse(opening.value.data)).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
      });
      const held = post(url, call({}, 'hold', 2));
      await holding.started;
      const body = call({}, 'log', 3);
      const own = await post(url, {
        ...body,
        params: { ...body.params, _meta: { ...modernMeta(), [Key.logLevel]: 'debug' } },
      });
      expect(await own.text()).toContain('mine');
      holding.finish();
      expect(await (await held).text()).not.toContain('mine');
      await events.return(undefined);
    },
  );

  test.for(['http://evil.example', 'https://localhost.evil.example', 'null'])(
    'refuses the origin %s',
    proves(subject, 'http.origin'),
    async (origin) => {
      const response = await post(await listen(), call(), { origin });
      expect(response.status).toBe(403);
    },
  );

  test('listens on the loopback interface', proves(subject, 'http.loopback'), async () => {
    expect(new URL(await listen()).hostname).toBe('127.0.0.1');
  });

  test('is stateless where sessions are off', proves(subject, 'http.other-methods'), async () => {
    const url = await listen({}, { sessions: false });
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(url, { method, headers: { accept: 'text/event-stream' } });
      expect(response.status).toBe(405);
    }
    const response = await post(url, message('server/discover', {}, 1), {
      'mcp-session-id': 'odd',
      'last-event-id': '7',
    });
    expect([response.status, response.headers.get('mcp-session-id')]).toEqual([200, null]);
  });

  test.for<[string, Headers, Message]>([
    ['another version', { 'mcp-protocol-version': '2025-11-25' }, call()],
    ['a nonsense version', { 'mcp-protocol-version': 'nonsense' }, call()],
  ])(
    'refuses %s in the header than in _meta',
    proves(subject, 'http.version-mismatch'),
    async ([, headers, body]) => {
      const response = await post(await listen(), body, headers);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual(refused);
    },
  );

  test('refuses a missing version header', proves(subject, 'http.version-missing'), async () => {
    const response = await post(await listen(), call(), { 'mcp-protocol-version': undefined });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual(refused);
  });

  test.for<Headers>([
    { 'mcp-method': undefined },
    { 'mcp-method': 'tools/list' },
    { 'mcp-method': 'Tools/Call' },
    { 'mcp-method': '' },
  ])(
    'refuses the method header %j',
    proves(subject, 'http.method-mismatch', 'http.header-values'),
    async (headers) => {
      const response = await post(await listen(), call(), headers);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual(refused);
    },
  );

  test.for<Headers>([
    { 'mcp-name': undefined },
    { 'mcp-name': 'Echo' },
    { 'mcp-name': 'other' },
    { 'mcp-name': '=?base64?b3RoZXI=?=' },
    { 'mcp-name': '=?base64?!!!?=' },
  ])(
    'refuses the name header %j',
    proves(subject, 'http.name-mismatch', 'http.header-values'),
    async (headers) => {
      const response = await post(await listen(), call(), headers);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual(refused);
    },
  );

  test('decodes an encoded name', proves(subject, 'http.name-decoded'), async () => {
    const read = (uri: string) => Promise.resolve({ contents: [{ uri, text: 'here' }] });
    const url = await listen({
      tools: [echo],
      resources: { list: () => Promise.resolve({ resources: [] }), read },
    });
    expect((await post(url, call(), { 'mcp-name': '=?base64?ZWNobw==?=' })).status).toBe(200);
    const encoded = `=?base64?${Buffer.from('file:///ü').toString('base64')}?=`;
    expect(
      (await post(url, message('resources/read', { uri: 'file:///ü' }, 1), { 'mcp-name': encoded }))
        .status,
    ).toBe(200);
  });

  test('reads header names in any case', proves(subject, 'http.header-names'), async () => {
    const response = await post(await listen(), call(), {
      'mcp-protocol-version': undefined,
      'MCP-PROTOCOL-VERSION': '2026-07-28',
      'mcp-method': undefined,
      'mCp-MeThOd': 'tools/call',
      'mcp-name': undefined,
      'MCP-Name': 'echo',
    });
    expect(response.status).toBe(200);
  });

  test(
    'responds to an unknown method with 404 and a JSON-RPC error',
    proves(subject, 'http.method-unknown'),
    async () => {
      const response = await post(await listen(), message('no/such', {}, 1));
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ id: 1, error: { code: -32_601 } });
    },
  );

  test(
    'accepts notifications with 202 and refuses invalid messages with an error status',
    proves(
      subject,
      'http.notification-202',
      'http.notification-refused',
      'rpc.notification-unanswered',
    ),
    async () => {
      const url = await listen();
      const taken = await post(url, message('notifications/odd'));
      expect([taken.status, await taken.text()]).toEqual([202, '']);
      const broken = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: ACCEPT,
          'mcp-protocol-version': '2026-07-28',
        },
        body: '{"jsonrpc":"2.0","method":7}',
      });
      expect(broken.status).toBe(400);
      expect(await broken.json()).not.toHaveProperty('id', expect.anything());
    },
  );

  test(
    'a closed stream cancels its request',
    proves(subject, 'http.disconnect', 'cancel.stops', 'cancel.race'),
    async () => {
      const holding = holdingTool();
      const url = await listen({ tools: [holding.tool, echo] });
      const closing = new AbortController();
      const held = post(url, call({}, 'hold'), {}, closing.signal);
      const { signal } = await holding.started;
      closing.abort();
      await expect(held).rejects.toThrow('aborted');
      await expect.poll(() => signal.aborted).toBe(true);
      holding.finish();
      expect((await post(url, call({}, 'echo', 2))).status).toBe(200);
    },
  );

  describe('with arguments in headers', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        count: { type: 'integer', 'x-mcp-header': 'Count' },
        dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
        where: {
          type: 'object',
          properties: { tenant: { type: 'string', 'x-mcp-header': 'Tenant' } },
        },
      },
    } as const;
    const mirrored = tool('mirrored', () => ({ content: [{ type: 'text', text: 'ran' }] }), {
      inputSchema,
    });
    const send = async (args: object, headers: Headers) =>
      post(await listen({ tools: [mirrored] }), call(args, 'mirrored'), headers);

    test.for<[object, Headers]>([
      [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
      [{ region: 'eu' }, { 'MCP-PARAM-REGION': '=?base64?ZXU=?=' }],
      [{ region: 'ü' }, { 'mcp-param-region': '=?base64?w7w=?=' }],
      [
        { region: '=?base64?eA==?=' },
        { 'mcp-param-region': `=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=` },
      ],
      [
        { dry: false, count: 0 },
        { 'mcp-param-dry': 'false', 'mcp-param-count': '0' },
      ],
      [{ where: { tenant: 't1' } }, { 'mcp-param-tenant': 't1' }],
    ])(
      'takes %j with %j',
      proves(subject, 'http.param-compared', 'http.header-names'),
      async ([args, headers]) => {
        const response = await send(args, headers);
        expect([response.status, await response.json()]).toMatchObject([
          200,
          { result: { content: [{ text: 'ran' }] } },
        ]);
      },
    );

    test.for<[object, Headers]>([
      [{ region: 'eu' }, { 'mcp-param-region': 'us' }],
      [{ region: 'eu' }, { 'mcp-param-region': 'EU' }],
      [{ count: 42 }, { 'mcp-param-count': '43' }],
      [{ count: 42 }, { 'mcp-param-count': 'many' }],
      [{ dry: true }, { 'mcp-param-dry': 'false' }],
      [{ where: { tenant: 't1' } }, { 'mcp-param-tenant': 't2' }],
    ])(
      'refuses %j with %j',
      proves(subject, 'http.param-compared', 'http.header-values'),
      async ([args, headers]) => {
        const response = await send(args, headers);
        expect([response.status, await response.json()]).toEqual([400, refused]);
      },
    );

    test.for([
      { region: 'eu' },
      { count: 0 },
      { dry: false },
      { region: '' },
      { where: { tenant: 't1' } },
    ])('refuses %j without its header', proves(subject, 'http.param-missing'), async (args) => {
      const response = await send(args, {});
      expect([response.status, await response.json()]).toEqual([400, refused]);
    });

    test.for([{}, { region: null }, { where: {} }, { where: null }])(
      'expects no header of %j',
      proves(subject, 'http.param-null'),
      async (args) => {
        const response = await send(args, {});
        expect(response.status).toBe(200);
      },
    );

    test('compares integers as numbers', proves(subject, 'http.param-integers'), async () => {
      expect((await send({ count: 42 }, { 'mcp-param-count': '42.0' })).status).toBe(200);
    });

    test.for(['=?base64?####?=', 'e\u00e9'])(
      'refuses the characters of %j',
      proves(subject, 'http.param-characters'),
      async (value) => {
        const response = await send({ region: value }, { 'mcp-param-region': value });
        expect([response.status, await response.json()]).toEqual([400, refused]);
      },
    );

    test.for([
      ['an empty name', { type: 'string', 'x-mcp-header': '' }],
      ['a name that is no token', { type: 'string', 'x-mcp-header': 'a b' }],
      ['a line break', { type: 'string', 'x-mcp-header': 'a\r\nb' }],
      ['a number', { type: 'number', 'x-mcp-header': 'A' }],
      ['an object', { type: 'object', 'x-mcp-header': 'A' }],
      ['a list', { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } }],
      ['a choice', { oneOf: [{ type: 'string', 'x-mcp-header': 'A' }] }],
    ] as const)(
      'a tool with %s is not published',
      proves({ ...subject, wire: 'any' }, 'http.param-valid-tools'),
      ([, property]) => {
        const publish =
          (...properties: object[]) =>
          () =>
            createServer(
              serverOptions({
                tools: [
                  tool('marked', () => ({ content: [] }), {
                    inputSchema: {
                      type: 'object',
                      properties: Object.fromEntries(
                        properties.map((each, index) => [`p${index}`, each]),
                      ),
                    },
                  }),
                ],
              }),
            );
        expect(publish(property)).toThrow();
        expect(
          publish(
            { type: 'string', 'x-mcp-header': 'Same' },
            { type: 'string', 'x-mcp-header': 'same' },
          ),
        ).toThrow();
        expect(
          publish(
            { type: 'string', 'x-mcp-header': 'Same' },
            { type: 'string', 'x-mcp-header': 'Other' },
          ),
        ).not.toThrow();
      },
    );
  });
});
