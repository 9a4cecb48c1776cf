import { connectClient } from '@signalbox/mcp-core/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { CLIENT_INFO, Key, metaOf, SERVER_INFO } from './message.ts';
import {
  CLIENT_SETUPS,
  connect,
  discovered,
  initialized,
  sent,
  startRawServer,
} from './raw-server.ts';
import type { Script } from './script.ts';

const handlers = {
  listRoots: () => Promise.resolve([]),
  sample: () => Promise.reject(new Error('no')),
  elicit: () => Promise.resolve({ action: 'decline' as const }),
};
const tools: Script = {
  'tools/list': () => ({ result: { tools: [] } }),
  'tools/call': () => ({ result: { content: [] } }),
};

describe.each(CLIENT_SETUPS.filter(({ era }) => era === 'legacy'))(
  'a client, $era over $wire',
  ({ era, wire }) => {
    const place = { era, wire };
    const subject = { side: 'client', era, wire } as const;

    test(
      'opens with initialize, and with notifications/initialized after the response',
      proves(
        subject,
        'initialize.first',
        'initialize.newest',
        'initialize.initialized',
        'initialize.client-waits',
      ),
      async () => {
        const answered = Promise.withResolvers<void>();
        const server = await startRawServer(wire, {
          ...tools,
          initialize: async (request, raw) => {
            await answered.promise;
            return initialized()(request, raw);
          },
        });
        const connecting = connectClient(() => server.open(), { info: CLIENT_INFO, era });
        const first = await server.inbox.find((message) => message.method === 'initialize');
        expect(first.params).toEqual({
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: CLIENT_INFO,
        });
        expect(server.inbox.messages).toHaveLength(1);
        answered.resolve();
        const client = await connecting;
        await client.listTools();
        expect(server.inbox.messages.map(({ method }) => method)).toEqual([
          'initialize',
          'notifications/initialized',
          'tools/list',
        ]);
        await client.close();
      },
    );

    test.for(['1999-01-01', '2026-07-28', '', 7])(
      'disconnects when the server answers with version %j',
      proves(subject, 'initialize.foreign-version'),
      async (version) => {
        await expect(
          connect(place, { initialize: initialized(version as string) }),
        ).rejects.toMatchObject({ code: 'connect-failed' });
      },
    );

    test.for(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const)(
      'continues in %s',
      proves(subject, 'operation.version'),
      async (version) => {
        const { client, server } = await connect(place, {
          ...tools,
          initialize: initialized(version),
        });
        expect(client.server).toMatchObject({ era: 'legacy', protocolVersion: version });
        await client.callTool('t', {});
        const [call] = sent(server, 'tools/call');
        expect(
          Object.keys(metaOf(call?.params)).filter((key) =>
            key.startsWith('io.modelcontextprotocol/'),
          ),
        ).toEqual([]);
      },
    );

    test('uses only declared capabilities', proves(subject, 'operation.capabilities'), async () => {
      const { client, server } = await connect(place, {
        initialize: initialized('2025-11-25', {}),
      });
      expect(await client.listTools()).toEqual([]);
      await expect(client.callTool('t', {})).rejects.toMatchObject({
        code: 'capability-missing',
      });
      await expect(client.readResource('x:y')).rejects.toMatchObject({
        code: 'capability-missing',
      });
      await expect(client.getPrompt('p')).rejects.toMatchObject({ code: 'capability-missing' });
      await expect(
        client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' }),
      ).rejects.toMatchObject({ code: 'capability-missing' });
      await expect(client.setLogLevel('info')).rejects.toMatchObject({
        code: 'capability-missing',
      });
      await client.ping();
      expect(server.inbox.messages.map(({ method }) => method)).toEqual([
        'initialize',
        'notifications/initialized',
        'ping',
      ]);
    });

    test(
      'declares the capabilities of its handlers',
      proves(
        subject,
        'capability.client',
        'roots.declared',
        'sampling.declared',
        'elicitation.declared',
      ),
      async () => {
        const none = await connect(place);
        expect(sent(none.server, 'initialize')[0]?.params?.capabilities).toEqual({});
        const all = await connect(place, {}, { handlers });
        expect(sent(all.server, 'initialize')[0]?.params?.capabilities).toEqual({
          roots: { listChanged: true },
          sampling: {},
          elicitation: { form: {} },
        });
      },
    );

    test('announces changes of its roots', proves(subject, 'roots.changed'), async () => {
      const { client, server } = await connect(place, {}, { handlers });
      await client.rootsChanged();
      expect(
        await server.inbox.find((message) => message.method === 'notifications/roots/list_changed'),
      ).toEqual({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    });

    test('checks the connection with ping', proves(subject, 'ping.sent'), async () => {
      const { client, server } = await connect(place);
      await client.ping();
      expect(sent(server, 'ping')).toHaveLength(1);
    });

    test('never cancels initialize', proves(subject, 'cancel.not-initialize'), async () => {
      const server = await startRawServer(wire, { initialize: () => undefined });
      await expect(
        connectClient(() => server.open(), {
          info: CLIENT_INFO,
          era,
          limits: { connectTimeoutMs: 30 },
        }),
      ).rejects.toMatchObject({ code: 'connect-failed' });
      expect(sent(server, 'notifications/cancelled')).toEqual([]);
    });
  },
);

describe.each(CLIENT_SETUPS)('the time limits of a client, $era over $wire', ({ era, wire }) => {
  const place = { era, wire };
  const subject = { side: 'client', era, wire } as const;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test(
    'end a request without a response, and cancel it',
    proves(subject, 'timeout.requests', 'timeout.per-request', 'timeout.cancels'),
    async () => {
      const { client, server } = await connect(place, { 'tools/call': () => undefined });
      const outcome = client
        .callTool('slow', {}, { timeoutMs: 5000 })
        .catch((error: unknown) => error);
      const { id } = await server.inbox.find((message) => message.method === 'tools/call');
      await vi.advanceTimersByTimeAsync(5001);
      expect(await outcome).toMatchObject({ code: 'request-timeout' });
      if (era === 'legacy' || wire === 'stdio') {
        expect(
          (await server.inbox.find((message) => message.method === 'notifications/cancelled'))
            .params,
        ).toMatchObject({ requestId: id });
      } else await expect.poll(() => server).toMatchObject({ abandoned: [id] });
    },
  );

  test('have a maximum whatever the progress', proves(subject, 'timeout.maximum'), async () => {
    const { client, server } = await connect(place, { 'tools/call': () => undefined });
    const seen: number[] = [];
    const outcome = client
      .callTool(
        'slow',
        {},
        { timeoutMs: 1000, maxTotalMs: 3000, onProgress: ({ progress }) => seen.push(progress) },
      )
      .catch((error: unknown) => error);
    const call = await server.inbox.find((message) => message.method === 'tools/call');
    for (let progress = 1; progress <= 5; progress += 1) {
      server.send(
        {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: metaOf(call.params).progressToken, progress },
        },
        call.id,
      );
      await expect.poll(() => seen.at(-1)).toBe(progress);
      await vi.advanceTimersByTimeAsync(601);
    }
    expect(await outcome).toMatchObject({ code: 'request-timeout' });
  });
});

describe.each(CLIENT_SETUPS.filter(({ era }) => era === 'modern'))(
  'a client, $era over $wire',
  ({ wire }) => {
    const subject = { side: 'client', era: 'modern', wire } as const;
    const detect = async (script: Script, options = {}) => {
      const server = await startRawServer(wire, script);
      const connecting = connectClient(() => server.open(), {
        info: CLIENT_INFO,
        limits: { probeTimeoutMs: 60_000 },
        ...options,
      });
      return { server, connecting };
    };

    test(
      'declares the capabilities of its handlers',
      proves(subject, 'roots.declared', 'sampling.declared', 'elicitation.declared'),
      async () => {
        const { server, client } = await connect(
          { era: 'modern', wire },
          { 'tools/call': () => ({ result: { content: [] } }) },
          { handlers },
        );
        await client.callTool('t', {});
        const capabilities = metaOf(sent(server, 'tools/call')[0]?.params)[Key.clientCapabilities];
        expect(capabilities).toMatchObject({ sampling: {}, elicitation: { form: {} } });
        expect(capabilities).toHaveProperty('roots');
      },
    );

    test(
      'detects the era once',
      proves(subject, 'era.cached', ...(wire === 'stdio' ? (['era.probe'] as const) : [])),
      async () => {
        const { server, connecting } = await detect(tools);
        const client = await connecting;
        expect(client.server.era).toBe('modern');
        await client.listTools();
        await client.callTool('t', {});
        expect(server.inbox.messages.map(({ method }) => method)).toEqual([
          'server/discover',
          'tools/list',
          'tools/call',
        ]);
        await client.close();
      },
    );

    test.for([-32_020, -32_021])(
      'does not fall back on %i',
      proves(
        subject,
        'era.modern-error',
        ...(wire === 'http' ? (['era.body-of-400'] as const) : []),
      ),
      async (code) => {
        const { server, connecting } = await detect({
          'server/discover': () => ({ error: { code, message: 'odd' } }),
        });
        await expect(connecting).rejects.toMatchObject({ code: 'connect-failed' });
        expect(sent(server, 'initialize')).toEqual([]);
      },
    );

    test(
      'retries in a common version, or fails with the versions of the server',
      proves(subject, 'version.retry', 'era.modern-error'),
      async () => {
        let asked = 0;
        const again = await detect({
          'server/discover': (request, raw) => {
            asked += 1;
            return asked === 1
              ? {
                  error: {
                    code: -32_022,
                    message: 'odd',
                    data: { supported: ['2099-01-01', '2026-07-28'], requested: '2026-07-28' },
                  },
                }
              : discovered(request, raw);
          },
        });
        await (await again.connecting).close();
        expect(asked).toBe(2);
        const never = await detect({
          'server/discover': () => ({
            error: {
              code: -32_022,
              message: 'odd',
              data: { supported: ['2099-01-01'], requested: '2026-07-28' },
            },
          }),
        });
        await expect(never.connecting).rejects.toThrow('2099-01-01');
        expect(sent(never.server, 'initialize')).toEqual([]);
      },
    );

    test.for([-32_601, -32_602, -32_600, -32_000, -32_603, 1])(
      'falls back on %i',
      proves(
        subject,
        ...(wire === 'stdio' ? (['era.other-error'] as const) : (['era.body-of-400'] as const)),
      ),
      async (code) => {
        const { server, connecting } = await detect({
          'server/discover': () => ({ error: { code, message: 'odd' } }),
        });
        const client = await connecting;
        expect(client.server).toMatchObject({
          era: 'legacy',
          protocolVersion: '2025-11-25',
          info: SERVER_INFO,
        });
        expect(sent(server, 'initialize')).toHaveLength(1);
        await client.close();
      },
    );

    if (wire === 'stdio') {
      test('falls back on silence', proves(subject, 'era.silence'), async () => {
        const { connecting } = await detect(
          { 'server/discover': () => undefined },
          { limits: { probeTimeoutMs: 30 } },
        );
        const client = await connecting;
        expect(client.server.era).toBe('legacy');
        await client.close();
      });
    }
  },
);
