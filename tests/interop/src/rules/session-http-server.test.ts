import { createServer, type Server, type ServerOptions } from '@signalbox/mcp-core/server';
import { serveHttp, type ServeHttpOptions } from '@signalbox/mcp-core/http/server';
import type { JsonObject } from '@signalbox/mcp-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { CLIENT_INFO, type Message } from './message.ts';
import { readEvents, type ServerEvent } from './read-events.ts';
import { echo, holdingTool, serverOptions, tool } from './test-tools.ts';

const subject = { side: 'server', era: 'legacy', wire: 'http' } as const;
const ACCEPT = 'application/json, text/event-stream';

function listen(
  options: Partial<ServerOptions> = { tools: [echo] },
  http: ServeHttpOptions = {},
): Promise<string> {
  return listenWith(createServer(serverOptions(options)), http);
}

async function listenWith(server: Server, http: ServeHttpOptions = {}): Promise<string> {
  const listener = await serveHttp(server, {
    onError: () => undefined,
    limits: { drainMs: 100 },
    ...http,
  });
  onTestFinished(() => listener.close());
  return listener.url;
}

interface Session {
  readonly url: string;
  readonly id: string;
  /** Sends the message with the headers of the session and these. */
  post(
    message: unknown,
    headers?: { readonly [name: string]: string },
    signal?: AbortSignal,
  ): Promise<Response>;
  get(lastEventId?: string, signal?: AbortSignal): Promise<Response>;
}

async function post(
  url: string,
  message: unknown,
  headers: { readonly [name: string]: string } = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: ACCEPT, ...headers },
    body: JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  });
}

const initialize = (protocolVersion = '2025-11-25', capabilities: JsonObject = {}): Message => ({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: CLIENT_INFO },
});
const call = (name: string, id: number | string = 1, meta: JsonObject = {}): Message => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {}, _meta: meta },
});

async function open(
  url: string,
  version = '2025-11-25',
  capabilities: JsonObject = {},
): Promise<Session> {
  const response = await post(url, initialize(version, capabilities));
  const id = response.headers.get('mcp-session-id') ?? '';
  await response.text();
  const headers: { [name: string]: string } = {
    'mcp-session-id': id,
    ...(version >= '2025-06-18' ? { 'mcp-protocol-version': version } : {}),
  };
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  return {
    url,
    id,
    post: (message, own = {}, signal) => post(url, message, { ...headers, ...own }, signal),
    get: (lastEventId, signal) =>
      fetch(url, {
        headers: {
          accept: 'text/event-stream',
          ...headers,
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
        ...(signal === undefined ? {} : { signal }),
      }),
  };
}

/** Reads up to and including the event that matches. */
async function readUntil(
  events: AsyncGenerator<ServerEvent>,
  matches: (message: Message) => boolean,
): Promise<ServerEvent[]> {
  const read: ServerEvent[] = [];
  for (;;) {
    const { value, done } = (await events.next()) as IteratorResult<ServerEvent, undefined>;
    if (done === true) return read;
    read.push(value);
    if (value.data !== '' && matches(JSON.parse(value.data) as Message)) return read;
  }
}

const messagesOf = (events: readonly ServerEvent[]): Message[] =>
  events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data) as Message);

describe('the endpoint of a server with sessions', () => {
  test(
    'accepts POST and GET at one path',
    proves(subject, 'session-http.endpoint', 'session-http.get-answer', 'session-http.answer-type'),
    async () => {
      const session = await open(await listen());
      const answer = await session.post(call('echo'));
      expect([answer.status, (await answer.json()) as Message]).toMatchObject([200, { id: 1 }]);
      const stop = new AbortController();
      const stream = await session.get(undefined, stop.signal);
      expect([stream.status, stream.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream',
      ]);
      stop.abort();
    },
  );

  test(
    'refuses foreign origins and listens on the loopback interface',
    proves(subject, 'session-http.origin', 'session-http.loopback'),
    async () => {
      const url = await listen();
      expect((await post(url, initialize(), { origin: 'http://evil.example' })).status).toBe(403);
      expect(new URL(url).hostname).toBe('127.0.0.1');
    },
  );

  test(
    'accepts notifications and responses with 202 and no body, and refuses invalid messages',
    proves(subject, 'session-http.accepted-202', 'session-http.refused-4xx'),
    async () => {
      const session = await open(await listen());
      for (const message of [
        { jsonrpc: '2.0', method: 'notifications/odd' },
        { jsonrpc: '2.0', id: 99, result: {} },
      ]) {
        const response = await session.post(message);
        expect([response.status, await response.text()]).toEqual([202, '']);
      }
      const refused = await session.post({ jsonrpc: '1.0', method: 'notifications/odd' });
      expect(refused.status).toBe(400);
      expect(await refused.json()).not.toHaveProperty('id', expect.anything());
    },
  );

  test(
    'sends the messages of a request on its stream, before the response that ends it',
    proves(
      subject,
      'session-http.related-first',
      'session-http.one-stream',
      'session-http.get-no-response',
      'session-http.priming',
    ),
    async () => {
      const report = tool('report', (_args, context) => {
        context.progress({ progress: 1 });
        context.log('error', 'mine');
        return { content: [] };
      });
      const server = createServer(serverOptions({ tools: [report] }));
      const session = await open(await listenWith(server));
      const stop = new AbortController();
      const standalone = readEvents(await session.get(undefined, stop.signal));
      const events: ServerEvent[] = [];
      for await (const event of readEvents(
        await session.post(call('report', 1, { progressToken: 'p' })),
      ))
        events.push(event);
      expect(messagesOf(events).map(({ method, id }) => method ?? id)).toEqual([
        'notifications/progress',
        'notifications/message',
        1,
      ]);
      expect(events[0]).toMatchObject({ id: expect.any(String) as string, data: '' });
      server.changes.toolsChanged();
      const alone = await readUntil(
        standalone,
        ({ method }) => method === 'notifications/tools/list_changed',
      );
      expect(messagesOf(alone)).toHaveLength(1);
      stop.abort();
    },
  );

  test(
    'continues after a disconnect, and replays only the rest of that stream',
    proves(subject, 'session-http.disconnect', 'session-http.replay', 'session-http.event-ids'),
    async () => {
      const holding = holdingTool();
      const other = tool('other', (_args, context) => {
        context.log('error', 'other');
        return { content: [] };
      });
      const session = await open(await listen({ tools: [holding.tool, other] }));
      const stop = new AbortController();
      const posted = session.post(call('hold', 'held', { progressToken: 'p' }), {}, stop.signal);
      const context = await holding.started;
      context.log('error', 'before');
      const events = readEvents(await posted);
      const first = await readUntil(events, ({ method }) => method === 'notifications/message');
      stop.abort();
      await events.next().catch(() => undefined);
      const others: ServerEvent[] = [];
      for await (const event of readEvents(await session.post(call('other', 'o'))))
        others.push(event);
      context.log('error', 'after');
      holding.finish();
      expect(context.signal.aborted).toBe(false);
      const resumed = await readUntil(
        readEvents(await session.get(first.at(-1)?.id)),
        ({ id }) => id === 'held',
      );
      expect(messagesOf(resumed).map(({ params, id }) => params?.data ?? id)).toEqual([
        'after',
        'held',
      ]);
      const ids = [...first, ...resumed, ...others].flatMap(({ id }) =>
        id === undefined ? [] : [id],
      );
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  test(
    'sends the retry delay when it ends a stream early',
    proves(subject, 'session-http.retry-sent'),
    async () => {
      const closing = tool('closing', async (_args, context) => {
        context.closeStream();
        await Promise.resolve();
        return { content: [] };
      });
      const session = await open(
        await listen({ tools: [closing] }, { sessions: { retryMs: 123 } }),
      );
      const events: ServerEvent[] = [];
      for await (const event of readEvents(await session.post(call('closing')))) events.push(event);
      expect(events.some(({ retry }) => retry === '123')).toBe(true);
    },
  );

  test(
    'sends input requests on the stream of the request',
    proves(subject, 'session-http.one-stream'),
    async () => {
      const ask = tool('ask', async (_args, context) => ({
        structuredContent: {
          action: (
            await context.elicit('q', {
              message: 'm',
              requestedSchema: { type: 'object', properties: {} },
            })
          ).action,
        },
      }));
      const session = await open(await listen({ tools: [ask] }), '2025-11-25', { elicitation: {} });
      const events = readEvents(await session.post(call('ask')));
      const inputRequest = messagesOf(
        await readUntil(events, ({ method }) => method === 'elicitation/create'),
      ).at(-1);
      expect(
        (
          await session.post({
            jsonrpc: '2.0',
            id: inputRequest?.id,
            result: { action: 'decline' },
          })
        ).status,
      ).toBe(202);
      expect(messagesOf(await readUntil(events, ({ id }) => id === 1)).at(-1)).toMatchObject({
        result: { structuredContent: { action: 'decline' } },
      });
    },
  );

  test(
    'assigns session ids that cannot be guessed',
    proves(subject, 'session-http.id-characters', 'session-http.id-random'),
    async () => {
      const url = await listen();
      const ids = await Promise.all(Array.from({ length: 20 }, async () => (await open(url)).id));
      expect(new Set(ids).size).toBe(20);
      for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{22,}$/);
    },
  );

  test(
    'requires the session id, and refuses an ended one',
    proves(subject, 'session-http.id-missing', 'session-http.id-ended'),
    async () => {
      const session = await open(await listen());
      expect(
        (await post(session.url, call('echo'), { 'mcp-protocol-version': '2025-11-25' })).status,
      ).toBe(400);
      expect((await session.post(call('echo'), { 'mcp-session-id': 'unknown' })).status).toBe(404);
      const ended = await fetch(session.url, {
        method: 'DELETE',
        headers: { 'mcp-session-id': session.id },
      });
      expect(ended.ok).toBe(true);
      expect((await session.post(call('echo'))).status).toBe(404);
    },
  );

  test(
    'keeps a session with its principal',
    proves(subject, 'session-http.id-no-auth'),
    async () => {
      const authenticate = (headers: { readonly [name: string]: unknown }) => ({
        auth: { principal: String(headers['x-user']) },
      });
      const url = await listen({ tools: [echo] }, { access: { authenticate } });
      const response = await post(url, initialize(), { 'x-user': 'ada' });
      const headers = {
        'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
        'mcp-protocol-version': '2025-11-25',
      };
      expect((await post(url, call('echo'), { ...headers, 'x-user': 'ada' })).status).toBe(200);
      expect((await post(url, call('echo'), { ...headers, 'x-user': 'bob' })).ok).toBe(false);
    },
  );

  test(
    'refuses unknown versions in the header, and accepts a missing one',
    proves(subject, 'session-http.version-invalid', 'session-http.version-missing'),
    async () => {
      const url = await listen();
      const session = await open(url);
      for (const version of ['1999-01-01', 'nonsense'])
        expect((await session.post(call('echo'), { 'mcp-protocol-version': version })).status).toBe(
          400,
        );
      const old = await open(url, '2025-03-26');
      expect((await old.post(call('echo'))).status).toBe(200);
      // Without sessions the version is unknown, so a batch is read as in 2025-03-26.
      const stateless = await listen({ tools: [echo] }, { sessions: false });
      const response = await post(stateless, [call('echo', 1), call('echo', 2)]);
      expect([response.status, ((await response.json()) as Message[]).map(({ id }) => id)]).toEqual(
        [200, [1, 2]],
      );
    },
  );
});
