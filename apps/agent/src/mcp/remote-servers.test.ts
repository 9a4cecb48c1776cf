import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpHandler, serveHttp, type HttpListener } from '@signalbox/mcp-core/http/server';
import { createServer, defineTool, type Server } from '@signalbox/mcp-core/server';
import { afterEach, describe, expect, test } from 'vitest';
import type { RemoteServerConfig } from '../config/config.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';
import { sharedChecks } from '../schema/testing/shared-checks.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { createServerPool, type ServerPoolOptions } from './server-pool.ts';
import { callRequest, recordingLogger, serverConfig, statusOf } from './testing/pool-fixture.ts';

const TOKEN = 'tok-en-of-the-test';
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Remote {
  readonly listener: HttpListener;
  /** Tool calls that reached the server. */
  readonly calls: string[];
}

function echoServer(calls: string[]): Server {
  const echo = defineTool({
    name: 'echo',
    description: 'Says it again.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: async ({ text }, context) => {
      calls.push(text);
      context.progress({ progress: 1 });
      const said =
        text === 'ask'
          ? `${(await context.elicit('who', { message: 'Who?', requestedSchema: { type: 'object', properties: {} } })).action}ed`
          : text;
      if (text === 'hang')
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      return { content: [{ type: 'text', text: said }] };
    },
  });
  return createServer({ info: { name: 'remote', version: '1' }, tools: [echo] });
}

async function remote(options: Partial<Parameters<typeof serveHttp>[1]> = {}): Promise<Remote> {
  const calls: string[] = [];
  const listener = await serveHttp(echoServer(calls), {
    port: 0,
    access: { bearerToken: TOKEN },
    ...options,
  });
  closers.push(() => listener.close());
  return { listener, calls };
}

function start(
  config: Partial<RemoteServerConfig> & { readonly url: string },
  options: Pick<ServerPoolOptions, 'allowedNetworks'> = {},
): {
  readonly pool: ToolDispatcher;
  readonly clock: ManualClock;
  readonly log: readonly string[];
} {
  const { command: _, args: _args, env: _env, cwd: _cwd, ...rules } = serverConfig('far');
  const clock = new ManualClock();
  const logger = recordingLogger();
  const server: RemoteServerConfig = {
    ...rules,
    transport: 'auto',
    headers: { Authorization: `Bearer ${TOKEN}` },
    ...config,
  };
  const pool = createServerPool({
    servers: [server],
    clientInfo: { name: 'signalbox', version: '0' },
    logger,
    clock,
    random: () => 0,
    schemas: sharedChecks,
    graceMs: 1000,
    ...options,
  });
  closers.push(() => pool.close());
  pool.start();
  return { pool, clock, log: logger.lines };
}

const isReady = ({ state }: ServerStatus): boolean => state === 'ready';
const isFailed = ({ state }: ServerStatus): boolean => state === 'failed';
const say = (
  text: string,
  rest: Partial<Parameters<typeof callRequest>[1]> = {},
): ReturnType<typeof callRequest> =>
  callRequest('far__echo', { arguments: { text }, idempotencyKey: text, ...rest });

describe.each([
  ['modern', { era: 'modern', transport: 'http' }],
  ['legacy', { era: 'legacy', transport: 'http' }],
  ['legacy', { era: 'legacy', transport: 'sse' }],
  ['modern', {}],
] as const)('a server with a URL, %s, %j', (era, config) => {
  test('supports calls, progress, input requests and cancellation', async () => {
    const { listener, calls } = await remote({ legacySse: true });
    const url =
      'transport' in config && config.transport === 'sse'
        ? new URL('/sse', listener.url).href
        : listener.url;
    const { pool } = start({ url, ...config });
    expect(await statusOf(pool, 'far', isReady)).toMatchObject({
      era,
      toolCount: 1,
      serverInfo: { name: 'remote', version: '1' },
    });
    const progress: number[] = [];
    expect(
      await pool.call(say('hello', { onProgress: (update) => progress.push(update.progress) })),
    ).toMatchObject({ type: 'result', result: { content: [{ text: 'hello' }] } });
    expect(progress).toEqual([1]);
    expect(
      await pool.call(
        say('ask', {
          inputHandlers: { elicit: () => Promise.resolve({ action: 'accept', content: {} }) },
        }),
      ),
    ).toMatchObject({ result: { content: [{ text: 'accepted' }] } });
    const abort = new AbortController();
    expect(
      await pool.call(say('hang', { signal: abort.signal, onProgress: () => abort.abort() })),
    ).toEqual({ type: 'cancelled', level: 'sent' });
    expect(calls.at(-1)).toBe('hang');
  });
});

test('a wrong token is reported with its location in the configuration, without its value', async () => {
  const { listener } = await remote();
  const { pool, log } = start({
    url: `${listener.url}?key=hush-hush`,
    headers: { Authorization: 'Bearer wrong-wrong' },
  });
  const { error } = await statusOf(pool, 'far', isFailed);
  expect(error).toMatch(/answered 401.*: check mcpServers\.far\.headers: /);
  expect(`${error} ${log.join('\n')}`).not.toMatch(/hush|wrong-wrong/);
});

test.each(['127.0.0.1', 'localhost'])(
  'a server at %s outside of the allowed networks is not connected, and the failure says so',
  async (host) => {
    const { listener, calls } = await remote();
    const url = listener.url.replace('127.0.0.1', host);
    const { pool } = start({ url }, { allowedNetworks: ['10.0.0.0/8'] });
    const { error } = await statusOf(pool, 'far', isFailed);
    expect(error).toContain('add its network to remote_servers.allowed_networks');
    expect(calls).toEqual([]);
    const control = start({ url }, { allowedNetworks: ['127.0.0.0/8', '::1'] });
    expect(await statusOf(control.pool, 'far', isReady)).toMatchObject({ toolCount: 1 });
  },
);

test('a URL without a listener is reported with its location in the configuration, and retried', async () => {
  const { listener } = await remote();
  await listener.close();
  const { pool, clock } = start({ url: listener.url });
  const failed = await statusOf(pool, 'far', isFailed);
  expect(failed.error).toMatch(
    /ECONNREFUSED.*check mcpServers\.far\.url and that the server runs$/,
  );
  expect(clock.waits).toEqual([1000]);
});

test.each(['modern', 'legacy'] as const)(
  'the loss of a %s server is detected at the first call, and the server is reconnected when it is back',
  async (era) => {
    const first = await remote();
    const port = Number(new URL(first.listener.url).port);
    const { pool, clock } = start({ url: first.listener.url, era });
    await statusOf(pool, 'far', isReady);
    await first.listener.close();
    // Whether anything was sent depends on whether the closed idle connection was noticed before.
    expect((await pool.call(say('one'))).type).toMatch(/^(?:not-sent|lost)$/);
    await statusOf(pool, 'far', isFailed);
    const second = await remote({ port });
    clock.advance(1000);
    expect(await statusOf(pool, 'far', isReady)).toMatchObject({ restarts: 1 });
    expect(await pool.call(say('two'))).toMatchObject({ type: 'result' });
    expect(second.calls).toEqual(['two']);
  },
);

test('an unknown session ends the connection; the call was not executed and can be retried', async () => {
  const { pool, clock, calls, replaceHandler } = await behindProxy({ era: 'legacy' });
  replaceHandler();
  expect(await pool.call(say('one'))).toMatchObject({
    type: 'not-sent',
    message: expect.stringContaining('forgotten the session') as string,
  });
  await statusOf(pool, 'far', isFailed);
  clock.advance(1000);
  await statusOf(pool, 'far', isReady);
  expect(await pool.call(say('two'))).toMatchObject({ type: 'result' });
  expect(calls).toEqual(['two']);
});

test.each([
  [503, 'lost'],
  [429, 'not-sent'],
])(
  'status %i of a reachable server does not end the connection; five in a row open the circuit breaker',
  async (status, type) => {
    const { pool, clock, calls, answerWith } = await behindProxy({ era: 'modern' });
    answerWith(status);
    for (let call = 0; call < 5; call++)
      expect(await pool.call(say(`${call}`))).toMatchObject({ type });
    expect(pool.servers()).toMatchObject([
      { state: 'ready', breaker: { state: 'open', failures: 5, opensAgainAt: clock.now() + 1000 } },
    ]);
    answerWith(undefined);
    expect(await pool.call(say('early'))).toMatchObject({
      type: 'not-sent',
      message: expect.stringContaining('did not answer 5 calls in a row') as string,
    });
    clock.advance(1000);
    expect(await pool.call(say('probe'))).toMatchObject({ type: 'result' });
    expect(pool.servers()).toMatchObject([
      { state: 'ready', restarts: 0, breaker: { state: 'closed', failures: 0 } },
    ]);
    expect(calls).toEqual(['probe']);
  },
);

test('a server that accepts connections and never responds is abandoned when the pool closes, without leftovers', async () => {
  const received = Promise.withResolvers<void>();
  const silent = createHttpServer(() => received.resolve());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => silent.close(resolve)));
  const { pool } = start({
    url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`,
    headers: {},
  });
  await received.promise;
  expect(pool.servers()).toMatchObject([{ state: 'connecting' }]);
  await pool.close();
  await expect
    .poll(
      () => new Promise((resolve) => silent.getConnections((_error, count) => resolve(count))),
      { timeout: 10_000 },
    )
    .toBe(0);
});

interface Proxied {
  readonly pool: ToolDispatcher;
  readonly clock: ManualClock;
  readonly calls: readonly string[];
  /** Makes the server forget its sessions. */
  readonly replaceHandler: () => void;
  /** Sets the HTTP status of tool calls. */
  readonly answerWith: (status: number | undefined) => void;
}

/** Connects to a server behind an address that stays while the server changes. */
async function behindProxy(config: Partial<RemoteServerConfig>): Promise<Proxied> {
  const calls: string[] = [];
  let handler = createHttpHandler(echoServer(calls));
  let status: number | undefined;
  const proxy = createHttpServer((request, response) => {
    if (status === undefined || request.headers['mcp-method'] !== 'tools/call')
      handler.handle(request, response);
    else request.resume().once('end', () => response.writeHead(status ?? 500).end('not now'));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    proxy.closeAllConnections();
    return Promise.all([new Promise((resolve) => proxy.close(resolve)), handler.close()]);
  });
  const { pool, clock } = start({
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`,
    headers: {},
    ...config,
  });
  await statusOf(pool, 'far', isReady);
  return {
    pool,
    clock,
    calls,
    replaceHandler: () => void (handler = createHttpHandler(echoServer(calls))),
    answerWith: (next) => void (status = next),
  };
}
