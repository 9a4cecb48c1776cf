import { describe, expect, test } from 'vitest';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import { createServer } from '../../server/create-server.ts';
import { defineTool } from '../../server/tools/tool.ts';
import { connectInMemory } from '../../testing/connect-in-memory.ts';
import { connectClient } from '../connect-client.ts';
import {
  discovered,
  initialized,
  refused,
  ScriptedServer,
} from '../testing/scripted-server.test.support.ts';
import type { ClientMiddleware } from './middleware.ts';

const info = { name: 'test', version: '1' };
const tool = defineTool({
  name: 't',
  description: 't',
  inputSchema: { type: 'object' },
  handler: () => 'x',
});

function recorder(log: string[]): ClientMiddleware {
  return async ({ direction, method, era }, next) => {
    log.push(`${direction} ${method} (${era})`);
    try {
      const result = await next();
      log.push(`${method} has ${Object.keys(result).toSorted().join(', ')}`);
      return result;
    } catch (error) {
      log.push(`${method} failed: ${(error as Error).message}`);
      throw error;
    }
  };
}

describe('middleware around the handshake of a client', () => {
  test('sees server/discover with its result', async () => {
    const log: string[] = [];
    const server = createServer({ info, tools: [tool] });
    const client = await connectInMemory(server, {
      info,
      extensions: { middleware: [recorder(log)] },
    });
    expect(client.server.era).toBe('modern');
    expect(log).toEqual([
      'outgoing server/discover (modern)',
      'server/discover has _meta, cacheScope, capabilities, supportedVersions, ttlMs',
    ]);
    await client.close();
  });

  test('sees the probe that a legacy server refuses, then initialize', async () => {
    const log: string[] = [];
    const server = new ScriptedServer({
      'server/discover': refused(-32601),
      initialize: initialized(),
    });
    const client = await connectClient(() => server, {
      info,
      extensions: { middleware: [recorder(log)] },
    });
    expect(client.server.era).toBe('legacy');
    expect(log).toEqual([
      'outgoing server/discover (modern)',
      expect.stringContaining('server/discover failed: ') as string,
      'outgoing initialize (legacy)',
      'initialize has capabilities, instructions, protocolVersion, serverInfo',
    ]);
    await client.close();
  });

  test('changes the params of initialize, its _meta and its result', async () => {
    const server = new ScriptedServer({ initialize: initialized() });
    const client = await connectClient(() => server, {
      info,
      era: 'legacy',
      extensions: {
        middleware: [
          async ({ params }, next) => ({
            ...(await next({
              ...params,
              clientInfo: { name: 'other', version: '2' },
              _meta: { 'acme/trace': 'abc' },
            })),
            instructions: 'Be brief.',
          }),
        ],
      },
    });
    expect(server.received[0]).toMatchObject({
      method: 'initialize',
      params: { clientInfo: { name: 'other' }, _meta: { 'acme/trace': 'abc' } },
    });
    expect(client.server.instructions).toBe('Be brief.');
    await client.close();
  });

  test.each(['modern', 'legacy'] as const)(
    '%s: an error of the middleware fails the connecting',
    async (era) => {
      const server = new ScriptedServer({
        'server/discover': discovered,
        initialize: initialized(),
      });
      const refusal = new Error('Not today');
      const connecting = connectClient(() => server, {
        info,
        era,
        extensions: { middleware: [() => Promise.reject(refusal)] },
      });
      await expect(connecting).rejects.toMatchObject({
        code: 'connect-failed',
        message: 'The server could not be connected: Not today',
        cause: refusal,
      });
      expect(server.received).toEqual([]);
      expect(server.isClosed).toBe(true);
    },
  );

  test('a ProtocolError of the middleware counts as the answer of the server', async () => {
    const server = new ScriptedServer({
      'server/discover': discovered,
      initialize: initialized(),
    });
    const client = await connectClient(() => server, {
      info,
      extensions: {
        middleware: [
          ({ method }, next) => {
            if (method === 'server/discover') throw new ProtocolError(-32601, 'Hidden');
            return next();
          },
        ],
      },
    });
    expect(client.server.era).toBe('legacy');
    await client.close();
  });

  test('a malformed result of the middleware fails the connecting with the reason', async () => {
    const server = new ScriptedServer({ 'server/discover': discovered });
    const connecting = connectClient(() => server, {
      info,
      extensions: { middleware: [() => ({ capabilities: {} })] },
    });
    await expect(connecting).rejects.toThrow('supportedVersions is missing or malformed');
  });

  test('runs again for each new connection', async () => {
    const log: string[] = [];
    const servers = [1, 2].map(() => new ScriptedServer({ 'server/discover': discovered }));
    let opened = 0;
    const client = await connectClient(() => servers[opened++]!, {
      info,
      extensions: { middleware: [recorder(log)] },
    });
    servers[0]?.crash(new Error('gone'));
    await client.reconnect();
    expect(log.filter((entry) => entry.startsWith('outgoing'))).toHaveLength(2);
    await client.close();
  });
});

describe('middleware around subscriptions/listen of a client', () => {
  const open = async (middleware: readonly ClientMiddleware[]) => {
    const server = createServer({ info, tools: [tool] });
    const client = await connectInMemory(server, {
      info,
      era: 'modern',
      extensions: { middleware },
    });
    return { server, client };
  };

  test('sees the request that opens the stream, and its end by the client', async () => {
    const log: string[] = [];
    const { server, client } = await open([recorder(log)]);
    log.length = 0;
    const changed = Promise.withResolvers<void>();
    const watch = await client.watch({ onToolsChanged: () => changed.resolve() });
    server.setTools([]);
    await changed.promise;
    expect(log).toEqual(['outgoing subscriptions/listen (modern)']);
    await watch.close();
    await expect
      .poll(() => log.at(-1))
      .toBe(
        'subscriptions/listen failed: subscriptions/listen was cancelled: The subscription is no longer needed.',
      );
    await client.close();
  });

  test('sees the result with which the server ends the stream', async () => {
    const ended = Promise.withResolvers<unknown>();
    const [near, far] = (
      await import('../../testing/in-memory-transport.ts')
    ).createInMemoryTransports();
    const connection = await createServer({ info, tools: [tool] }).connect(far);
    const client = await connectClient(() => near, {
      info,
      extensions: {
        middleware: [
          async ({ method }, next) => {
            const result = await next();
            if (method === 'subscriptions/listen') ended.resolve(result);
            return result;
          },
        ],
      },
    });
    await client.watch({ onToolsChanged: () => undefined });
    await connection.close();
    expect(await ended.promise).toBeTypeOf('object');
    await client.close();
  });

  test('changes the filter', async () => {
    const { client } = await open([
      ({ method, params }, next) =>
        method === 'subscriptions/listen' ? next({ ...params, notifications: {} }) : next(),
    ]);
    const watch = await client.watch({ onToolsChanged: () => undefined });
    expect(watch.filter).toEqual({});
    await client.close();
  });

  test('that refuses it rejects the watch, and nothing is sent', async () => {
    const refusal = new LocalError('invalid-argument', 'No subscriptions');
    const server = new ScriptedServer({ 'server/discover': discovered });
    const client = await connectClient(() => server, {
      info,
      extensions: {
        middleware: [
          ({ method }, next) => {
            if (method === 'subscriptions/listen') throw refusal;
            return next();
          },
        ],
      },
    });
    const handlers = { resources: ['a:b'], onResourceUpdated: () => undefined };
    await expect(client.watch(handlers)).rejects.toBe(refusal);
    expect(server.all('subscriptions/listen')).toEqual([]);
    await client.close();
  });
});
