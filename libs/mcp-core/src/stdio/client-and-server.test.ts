import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { connectClient } from '../client/connect-client.ts';
import type { Era } from '../era/versions.ts';
import type { Progress } from '../protocol/progress.ts';
import { ToolError } from '../protocol/errors.ts';
import { createServer } from '../server/create-server.ts';
import type { Server } from '../server/server.ts';
import { defineTool } from '../server/tools/tool.ts';
import { createInMemoryTransports } from '../testing/in-memory-transport.ts';
import { type ChildTransport, spawnStdio } from './child-transport.ts';

const clients: Client[] = [];
const info = { name: 'both', version: '1.0.0' };
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const noArguments = { type: 'object', properties: {}, additionalProperties: false } as const;

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function connect(
  server: Server,
  era: Era,
  options: Partial<ClientOptions> = {},
): Promise<Client> {
  const [ours, theirs] = createInMemoryTransports();
  await server.connect(theirs);
  const client = await connectClient(() => ours, {
    info: { name: 't', version: '0' },
    era,
    ...options,
  });
  clients.push(client);
  return client;
}

describe.each<Era>(['legacy', 'modern'])('our client on our server, %s', (era) => {
  test('calls tools, with progress, structured results and errors for the model', async () => {
    const add = defineTool({
      name: 'add',
      description: 'Adds.',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
      annotations,
      handler: ({ a, b }, context) => {
        context.progress({ progress: 1, total: 2 });
        context.progress({ progress: 2, total: 2, message: 'added' });
        return { structuredContent: { sum: a + b } };
      },
    });
    const fail = defineTool({
      name: 'fail',
      description: 'Fails.',
      inputSchema: noArguments,
      annotations,
      handler: () => Promise.reject(new ToolError('Try add.')),
    });
    const client = await connect(
      createServer({ info, instructions: 'Add.', tools: [fail, add] }),
      era,
    );
    expect(client.server).toMatchObject({ info, instructions: 'Add.', era });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['add', 'fail']);
    const seen: (Progress | string)[] = [];
    const result = await client.callTool(
      'add',
      { a: 2, b: 3 },
      { onProgress: (progress) => seen.push(progress) },
    );
    seen.push('answer');
    expect(result).toMatchObject({ structuredContent: { sum: 5 } });
    expect(seen.slice(-2)).toEqual([{ progress: 2, total: 2, message: 'added' }, 'answer']);
    expect(await client.callTool('fail', {})).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Try add.' }],
    });
    expect(await client.callTool('add', { a: 'two', b: 3 })).toMatchObject({ isError: true });
    await expect(client.callTool('none', {})).rejects.toMatchObject({ code: -32602 });
  });

  test('cancels a call, whose handler is aborted', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      inputSchema: noArguments,
      annotations,
      handler: (_args, { signal }) => {
        started.resolve(signal);
        return new Promise<never>(() => undefined);
      },
    });
    const client = await connect(createServer({ info, tools: [wait] }), era);
    const stop = new AbortController();
    const outcome = client
      .callTool('wait', {}, { signal: stop.signal })
      .catch((error: unknown) => error);
    const signal = await started.promise;
    stop.abort();
    expect(await outcome).toMatchObject({ code: 'request-cancelled', sent: true });
    await client.ping();
    expect(signal.aborted).toBe(true);
  });

  test('reads and watches resources', async () => {
    const watched = new Set<string>();
    const server = createServer({
      info,
      resources: {
        list: () => Promise.resolve({ resources: [{ uri: 'note:a', name: 'a' }] }),
        read: (uri) => Promise.resolve({ contents: [{ uri, text: 'A' }] }),
        subscribe: (uri) => {
          watched.add(uri);
          return Promise.resolve(() => void watched.delete(uri));
        },
      },
    });
    const client = await connect(server, era);
    expect(await client.listResources()).toMatchObject([{ uri: 'note:a' }]);
    expect(await client.readResource('note:a')).toMatchObject([{ uri: 'note:a', text: 'A' }]);
    const heard: string[] = [];
    const watch = await client.watch({
      resources: ['note:a'],
      onResourceUpdated: (uri) => heard.push(uri),
    });
    expect(watch.filter).toEqual({ resourceSubscriptions: ['note:a'] });
    expect([...watched]).toEqual(['note:a']);
    server.changes.resourceUpdated('note:a');
    server.changes.resourceUpdated('note:b');
    await client.ping();
    expect(heard).toEqual(['note:a']);
    await watch.close();
    await vi.waitFor(() => expect([...watched]).toEqual([]), 10_000);
    server.changes.resourceUpdated('note:a');
    await client.ping();
    expect(heard).toEqual(['note:a']);
  });

  test('receives logs and tool list changes that it watches', async () => {
    const heard: unknown[] = [];
    const talk = defineTool({
      name: 'talk',
      description: 'Logs.',
      inputSchema: noArguments,
      annotations,
      handler: (_args, context) => {
        context.log('warning', { disk: 'full' }, 'talk');
        return { structuredContent: {} };
      },
    });
    const server = createServer({ info, tools: [talk] });
    const client = await connect(server, era, {
      events: { onLog: (entry) => heard.push(entry) },
    });
    await client.callTool('talk', {});
    await client.watch({ onToolsChanged: () => heard.push('tools') });
    server.changes.toolsChanged();
    await client.ping();
    expect(heard).toEqual([{ level: 'warning', logger: 'talk', data: { disk: 'full' } }, 'tools']);
  });
});

test('a server of both eras is used in the modern era', async () => {
  const [ours, theirs] = createInMemoryTransports();
  await createServer({ info }).connect(theirs);
  const client = await connectClient(() => ours, { info });
  clients.push(client);
  expect(client.server.era).toBe('modern');
});

test('a legacy tool call requests elicitation, sampling and roots', async () => {
  const ask = defineTool({
    name: 'ask',
    description: 'Asks.',
    inputSchema: noArguments,
    annotations,
    handler: async (_args, context) => {
      const answers = await context.gather({
        name: {
          elicit: {
            message: 'Name?',
            requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
          },
        },
        text: {
          sample: {
            messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
            maxTokens: 5,
          },
        },
      });
      return { structuredContent: { ...answers, roots: await context.listRoots() } };
    },
  });
  const client = await connect(createServer({ info, tools: [ask] }), 'legacy', {
    handlers: {
      elicit: () => Promise.resolve({ action: 'accept', content: { name: 'Ann' } }),
      sample: () =>
        Promise.resolve({
          role: 'assistant',
          content: { type: 'text', text: 'Hello' },
          model: 'm',
        }),
      listRoots: () => Promise.resolve([{ uri: 'file:///a' }]),
    },
  });
  expect((await client.callTool('ask', {})).structuredContent).toMatchObject({
    name: { action: 'accept', content: { name: 'Ann' } },
    text: { content: { type: 'text', text: 'Hello' }, model: 'm' },
    roots: [{ uri: 'file:///a' }],
  });
});

describe('over a child process', () => {
  const source = new URL('..', import.meta.url).href;
  const script = join(mkdtempSync(join(tmpdir(), 'child-server-')), 'server.mjs');
  writeFileSync(
    script,
    `
    import { createServer } from '${source}server/index.ts';
    import { serveStdio } from '${source}stdio/index.ts';
    const echo = {
      name: 'echo', description: 'Echoes.', inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      handler: (args) => args.crash ? process.exit(4) : { structuredContent: args },
    };
    await serveStdio(createServer({ info: { name: 'child', version: '1.0.0' }, tools: [echo] }));
    `,
  );
  const spawned: ChildTransport[] = [];
  const open = (): ChildTransport => {
    const transport = spawnStdio({ command: 'node', args: [script] });
    spawned.push(transport);
    return transport;
  };

  test.each<Era | 'auto'>(['auto', 'legacy', 'modern'])(
    'pinned to %s, a large call works and the process ends at once on close',
    async (era) => {
      const client = await connectClient(open, { info: { name: 't', version: '0' }, era });
      const text = 'größe '.repeat(200_000);
      expect((await client.callTool('echo', { text })).structuredContent).toEqual({ text });
      await client.close();
      expect(await spawned.at(-1)!.exited).toEqual({ code: 0, signal: null });
    },
  );

  test('a crash during a call is reported with the exit code and the call is lost', async () => {
    const ends: (Error | undefined)[] = [];
    const client = await connectClient(open, {
      info: { name: 't', version: '0' },
      events: { onClosed: (error) => ends.push(error) },
    });
    clients.push(client);
    await expect(client.callTool('echo', { crash: true })).rejects.toMatchObject({
      code: 'connection-lost',
      sent: true,
      message: expect.stringContaining('exited with code 4') as string,
    });
    expect(ends).toHaveLength(1);
  });

  test('a program that is not a server fails to connect with the end of its stderr', async () => {
    const failing = (): ChildTransport =>
      spawnStdio({
        command: 'node',
        args: ['-e', 'console.error("Usage: server DIR"); process.exit(2)'],
      });
    await expect(
      connectClient(failing, { info: { name: 't', version: '0' } }),
    ).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringMatching(/exited with code 2.*Usage: server DIR/) as string,
    });
  });

  test('a legacy server that exits because of the probe is reached on the second start', async () => {
    const picky = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'server/discover') process.exit(1);
      if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'picky', version: '1' } } }));
    })`;
    const client = await connectClient(() => spawnStdio({ command: 'node', args: ['-e', picky] }), {
      info: { name: 't', version: '0' },
    });
    clients.push(client);
    expect(client.server).toMatchObject({
      era: 'legacy',
      protocolVersion: '2024-11-05',
      info: { name: 'picky' },
    });
  });
});
