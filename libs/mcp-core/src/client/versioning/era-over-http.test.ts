import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HttpError } from '../../protocol/http-error.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import {
  discovered,
  initialized,
  refused,
  ScriptedServer,
  type Step,
} from '../testing/scripted-server.test.support.ts';

const info = { name: 't', version: '0' };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function http(script: { [method: string]: Step }): ScriptedServer {
  const server = new ScriptedServer(script);
  server.hasStreamPerRequest = true;
  return server;
}

function connectTo(server: ScriptedServer, options: Partial<ClientOptions> = {}) {
  return connectClient(() => server, { info, ...options });
}

function status(
  code: number,
  rpcError?: { readonly code: number; readonly message: string; readonly data?: unknown },
): HttpError {
  return new HttpError(`answered ${code}`, { status: code, headers: {}, rpcError });
}

describe('over HTTP', () => {
  test.each([400, 404, 405, 406, 409, 415, 422])(
    'status %i without a JSON-RPC answer is that of a legacy server',
    async (code) => {
      const server = http({ initialize: initialized() });
      const connecting = connectTo(server);
      server.fail((await server.receives('server/discover')).id!, status(code));
      expect((await connecting).server.era).toBe('legacy');
    },
  );

  test.each([200, 202, 204])(
    'status %i without a usable answer is that of a legacy server',
    async (code) => {
      const server = http({ initialize: initialized() });
      const connecting = connectTo(server);
      server.fail((await server.receives('server/discover')).id!, status(code));
      expect((await connecting).server.era).toBe('legacy');
    },
  );

  test.each<[string, Error]>([
    ['status 401', status(401)],
    ['status 408', status(408)],
    ['status 429', status(429)],
    ['status 403', status(403, { code: -32601, message: 'no' })],
    ['status 500', status(500)],
    ['status 503', status(503)],
    ['a broken network', new LocalError('connection-lost', 'getaddrinfo ENOTFOUND')],
  ])('%s is no evidence: connecting fails', async (_name, error) => {
    const server = http({ initialize: initialized() });
    const outcome = connectTo(server).catch((failure: unknown) => failure);
    server.fail((await server.receives('server/discover')).id!, error);
    expect(await outcome).toMatchObject({ code: 'connect-failed', cause: error });
    expect(server.all('initialize')).toEqual([]);
    expect(server.isClosed).toBe(true);
  });

  test('silence is a failure, not a legacy server', async () => {
    const server = http({ initialize: initialized() });
    const outcome = connectTo(server, {
      limits: { probeTimeoutMs: 10, connectTimeoutMs: 5000 },
    }).catch((failure: unknown) => failure);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await outcome).toMatchObject({ code: 'connect-failed' });
    expect(server.all('initialize')).toEqual([]);
  });

  test('a modern error without its id is evidence of a modern server', async () => {
    const server = http({ initialize: initialized() });
    const outcome = connectTo(server).catch((failure: unknown) => failure);
    server.fail(
      (await server.receives('server/discover')).id!,
      status(400, { code: -32020, message: 'Header mismatch' }),
    );
    expect(await outcome).toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('-32020') as string,
    });
    expect(server.all('initialize')).toEqual([]);
  });

  test('a failure of the retry in a version of the server is not evidence of a legacy server', async () => {
    for (const end of ['fail', 'crash'] as const) {
      const answers = [refused(-32022, { supported: ['2026-07-28'] })];
      const server = http({
        'server/discover': (request) => answers.shift()?.(request),
        initialize: initialized(),
      });
      const outcome = connectTo(server).catch((failure: unknown) => failure);
      const { id } = await server.receives('server/discover', 2);
      if (end === 'fail') server.fail(id!, status(404));
      else server.crash(new Error('gone'));
      expect(await outcome).toMatchObject({ code: 'connect-failed' });
      expect(server.all('initialize')).toEqual([]);
    }
  });
});

describe('a known era', () => {
  test('legacy is tried without a probe', async () => {
    const server = new ScriptedServer({ initialize: initialized() });
    expect((await connectTo(server, { era: { first: 'legacy' } })).server.era).toBe('legacy');
    expect(server.received[0]).toMatchObject({ method: 'initialize' });
  });

  test('modern waits for a slow server without initialize', async () => {
    const server = new ScriptedServer({ initialize: initialized() });
    const connecting = connectTo(server, {
      era: { first: 'modern' },
      limits: { probeTimeoutMs: 10 },
    });
    await vi.advanceTimersByTimeAsync(5000);
    server.deliver({ id: 1, ...discovered({}) });
    expect((await connecting).server.era).toBe('modern');
    expect(server.all('initialize')).toEqual([]);
  });

  test.each<[string, 'legacy' | 'modern', { [method: string]: Step }]>([
    [
      'legacy, of a server that has become modern,',
      'legacy',
      { initialize: refused(-32601), 'server/discover': discovered },
    ],
    [
      'modern, of a server that has become legacy,',
      'modern',
      { initialize: initialized(), 'server/discover': refused(-32601) },
    ],
  ])('%s is corrected', async (_name, first, script) => {
    expect((await connectTo(new ScriptedServer(script), { era: { first } })).server.era).not.toBe(
      first,
    );
  });

  test.each(['legacy', 'modern'] as const)('%s does not start a server twice', async (first) => {
    let starts = 0;
    const server = new ScriptedServer({});
    const outcome = connectClient(
      () => {
        starts += 1;
        return server;
      },
      { info, era: { first } },
    ).catch((failure: unknown) => failure);
    await vi.waitFor(() => expect(server.received).toHaveLength(1), 10_000);
    server.crash(new Error('exited with code 1'));
    expect(await outcome).toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('exited with code 1') as string,
    });
    expect(starts).toBe(1);
  });
});

test('a server that ends after initialize was sent behind the probe is started once more, and not again', async () => {
  const servers = [new ScriptedServer({}), new ScriptedServer({})] as const;
  let starts = 0;
  const outcome = connectClient(
    () => {
      const server = servers[starts];
      starts += 1;
      return server ?? Promise.reject(new Error('a third start'));
    },
    { info, limits: { probeTimeoutMs: 10 } },
  ).catch((failure: unknown) => failure);
  await vi.advanceTimersByTimeAsync(10);
  for (const server of servers) {
    await server.receives('initialize');
    server.crash(new Error('exited with code 1'));
  }
  expect(await outcome).toMatchObject({
    code: 'connect-failed',
    message: expect.stringContaining('exited with code 1') as string,
  });
  expect(starts).toBe(2);
});
