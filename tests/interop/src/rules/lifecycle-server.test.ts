import { PROTOCOL_VERSIONS } from '@signalbox/mcp-core';
import { createServer } from '@signalbox/mcp-core/server';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { CLIENT_INFO, Key, modernMeta } from './message.ts';
import { openRawClient, openWithoutHandshake, SERVER_SETUPS } from './raw-client.ts';
import { echo, serverOptions, tool } from './test-tools.ts';

const legacyVersions = PROTOCOL_VERSIONS.slice(1);
const resources = {
  list: () => Promise.resolve({ resources: [] }),
  read: () => Promise.resolve({ contents: [] }),
  subscribe: () => Promise.resolve(() => undefined),
};

describe.each(SERVER_SETUPS.filter(({ era }) => era === 'legacy'))(
  'a server, $era over $wire',
  ({ era, wire }) => {
    const subject = { side: 'server', era, wire } as const;
    const initialize = async (version: string, options = serverOptions({ tools: [echo] })) =>
      (await openWithoutHandshake(createServer(options), { era, wire })).request(
        'initialize',
        { protocolVersion: version, capabilities: {}, clientInfo: CLIENT_INFO },
        1,
      );

    test.for(legacyVersions)(
      'responds to initialize of %s with that version',
      proves(subject, 'initialize.same-version', 'initialize.result', 'era.server-choice'),
      async (version) => {
        expect(await initialize(version)).toEqual({
          jsonrpc: '2.0',
          id: 1,
          result: {
            protocolVersion: version,
            capabilities: { logging: {}, tools: { listChanged: true } },
            serverInfo: { name: 'raw server', version: '1' },
          },
        });
      },
    );

    test.for(['1999-01-01', '2026-07-28', 'tomorrow', ''])(
      'answers initialize of %j with the newest legacy version',
      proves(subject, 'initialize.other-version', 'initialize.other-newest'),
      async (version) => {
        expect(await initialize(version)).toMatchObject({
          result: { protocolVersion: '2025-11-25' },
        });
      },
    );

    test(
      'declares exactly its capabilities',
      proves(
        subject,
        'capability.server',
        'tools.declared',
        'resources.declared',
        'logging.declared',
      ),
      async () => {
        expect(await initialize('2025-11-25', serverOptions())).toMatchObject({
          result: { capabilities: { logging: {} } },
        });
        const { result } = await initialize(
          '2025-11-25',
          serverOptions({ tools: [echo], resources }),
        );
        expect(result?.capabilities).toMatchObject({
          logging: {},
          tools: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
        });
        const bare = await initialize(
          '2025-11-25',
          serverOptions({ resources: { list: resources.list, read: resources.read } }),
        );
        expect(bare.result?.capabilities).not.toHaveProperty('resources.subscribe');
        expect(bare.result?.capabilities).not.toHaveProperty('tools');
      },
    );

    test(
      'sends no requests or notifications before notifications/initialized',
      proves(subject, 'initialize.server-waits'),
      async () => {
        const server = createServer(serverOptions({ tools: [echo] }));
        const client = await openWithoutHandshake(server, { era, wire });
        await client.request(
          'initialize',
          { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: CLIENT_INFO },
          1,
        );
        server.changes.toolsChanged();
        await client.request('ping', {}, 2);
        expect(client.received).toHaveLength(2);
        client.notify('notifications/initialized');
        await client.settled();
        server.changes.toolsChanged();
        await client.find((message) => message.method === 'notifications/tools/list_changed');
      },
    );

    test(
      'a result has only members of the negotiated revision',
      proves(subject, 'operation.version'),
      async () => {
        const list = tool(
          'list',
          () => ({
            structuredContent: [1],
            content: [{ type: 'resource_link', uri: 'x:y', name: 'y' }],
          }),
          { outputSchema: { type: 'array' } },
        );
        const server = createServer(serverOptions({ tools: [list] }));
        const shapes: unknown[] = [];
        for (const version of legacyVersions) {
          const client = await openRawClient(server, { era, wire, version });
          const { result } = await client.request('tools/call', { name: 'list' });
          shapes.push([
            version,
            result?.structuredContent,
            (result?.content as { type: string }[])[0]?.type,
            'resultType' in result!,
          ]);
          expect(await client.request('server/discover')).toMatchObject({
            error: { code: -32_601 },
          });
        }
        expect(shapes).toEqual([
          ['2025-11-25', { result: [1] }, 'resource_link', false],
          ['2025-06-18', { result: [1] }, 'resource_link', false],
          ['2025-03-26', undefined, 'text', false],
          ['2024-11-05', undefined, 'text', false],
        ]);
      },
    );

    test(
      'sends no undeclared input request',
      proves(
        subject,
        'operation.capabilities',
        'roots.checked',
        'elicitation.mode-undeclared',
        'sampling.tools-undeclared',
      ),
      async () => {
        const form = { message: 'm', requestedSchema: { type: 'object', properties: {} } } as const;
        const server = createServer(
          serverOptions({
            tools: [
              tool('roots', async (_args, context) => ({
                structuredContent: { roots: await context.listRoots() },
              })),
              tool('form', async (_args, context) => ({
                structuredContent: await context.elicit('q', form),
              })),
              tool('url', async (_args, context) => ({
                structuredContent: await context.elicit('q', {
                  mode: 'url',
                  message: 'm',
                  url: 'https://example.com',
                }),
              })),
              tool('sampling', async (_args, context) => ({
                structuredContent: await context.sample('q', { messages: [], maxTokens: 1 }),
              })),
              tool('sampling-tools', async (_args, context) => ({
                structuredContent: await context.sample('q', {
                  messages: [],
                  maxTokens: 1,
                  tools: [{ name: 't', inputSchema: { type: 'object' } }],
                }),
              })),
            ],
          }),
        );
        for (const [name, capabilities] of [
          ['roots', { sampling: {} }],
          ['form', { elicitation: { url: {} } }],
          ['url', { elicitation: {} }],
          ['sampling', {}],
          ['sampling-tools', { sampling: {} }],
        ] as const) {
          const client = await openRawClient(server, { era, wire, capabilities });
          const answer = await client.request('tools/call', { name });
          expect(answer.result?.isError ?? answer.error?.code, name).toBeTruthy();
          expect(client.received.filter((message) => message.method !== undefined)).toEqual([]);
        }
      },
    );

    test(
      'modern requests are served beside the session',
      proves(subject, 'era.server-choice'),
      async () => {
        const which = tool('which', (_args, { client }) => ({
          structuredContent: { era: client.era },
        }));
        const client = await openRawClient(createServer(serverOptions({ tools: [which] })), {
          era,
          wire,
        });
        if (wire === 'stdio')
          expect(
            await client.request('tools/call', { name: 'which', _meta: modernMeta() }),
          ).toMatchObject({
            result: { resultType: 'complete', structuredContent: { era: 'modern' } },
          });
        expect(await client.request('tools/call', { name: 'which' })).toMatchObject({
          result: { structuredContent: { era: 'legacy' } },
        });
      },
    );

    test(
      'responds to ping immediately with an empty result',
      proves(subject, 'ping.answer'),
      async () => {
        const opened = await openRawClient(createServer(serverOptions()), { era, wire });
        expect(await opened.request('ping', {}, 0)).toEqual({ jsonrpc: '2.0', id: 0, result: {} });
      },
    );
  },
);

describe.each(SERVER_SETUPS.filter(({ era }) => era === 'modern'))(
  'a server, $era over $wire',
  ({ era, wire }) => {
    const subject = { side: 'server', era, wire } as const;

    test(
      'responds to server/discover',
      proves(
        subject,
        'discover.method',
        'tools.declared',
        'resources.declared',
        'logging.declared',
        'extension.id',
      ),
      async () => {
        const client = await openRawClient(
          createServer(serverOptions({ tools: [echo], resources, instructions: 'Be kind.' })),
          { era, wire },
        );
        const { result } = await client.request('server/discover');
        expect(result).toMatchObject({
          resultType: 'complete',
          supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
          capabilities: {
            logging: {},
            tools: { listChanged: true },
            resources: { listChanged: true, subscribe: true },
          },
          instructions: 'Be kind.',
        });
        const { extensions = {} } = result?.capabilities as { extensions?: object };
        for (const id of Object.keys(extensions))
          expect(id).toMatch(/^[a-z][a-z0-9.-]*[a-z0-9]\/[a-z0-9][\w.-]*$/i);
      },
    );

    test.for(['1999-01-01', '2025-11-25', '2099-12-31', ''])(
      'refuses version %j with -32022',
      proves(subject, 'version.unsupported'),
      async (version) => {
        const client = await openRawClient(createServer(serverOptions()), { era, wire });
        const answer = await client.request(
          'server/discover',
          { _meta: { [Key.protocolVersion]: version } },
          'odd',
        );
        expect(client.statusOf('odd')).toBe(wire === 'http' ? 400 : undefined);
        expect(answer.error).toEqual({
          code: -32_022,
          message: expect.any(String) as string,
          data: { supported: PROTOCOL_VERSIONS, requested: version },
        });
      },
    );

    test.for([
      ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT_INFO }],
      ['ping', {}],
      ['logging/setLevel', { level: 'info' }],
      ['resources/subscribe', { uri: 'x:y' }],
    ] as const)(
      '%s with modern _meta is an unknown method',
      proves(subject, 'era.server-choice', 'rpc.method-unknown'),
      async ([method, params]) => {
        const client = await openRawClient(createServer(serverOptions({ resources })), {
          era,
          wire,
        });
        expect(await client.request(method, params)).toMatchObject({ error: { code: -32_601 } });
      },
    );
  },
);
