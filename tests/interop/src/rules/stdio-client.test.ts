import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { CLIENT_INFO, Key } from './message.ts';
import { RawStdioServer } from './raw-stdio-server.ts';
import { complete, discovered, initialized, startRawServer } from './raw-server.ts';
import type { Script } from './script.ts';

const handshake: Script = { initialize: initialized(), 'server/discover': discovered };

/**
 * Creates a server process in plain JavaScript, which performs the handshakes, logs to a file and
 * runs `extra`.
 */
async function processServer(
  extra = '',
): Promise<{ readonly args: string[]; readonly story: () => Promise<string[]> }> {
  const folder = await mkdtemp(join(tmpdir(), 'stdio-'));
  const [script, story] = [join(folder, 'server.mjs'), join(folder, 'story')];
  await writeFile(
    script,
    `import { appendFileSync } from 'node:fs';
     import { createInterface } from 'node:readline';
     const tell = (line) => appendFileSync(${JSON.stringify(story)}, line + '\\n');
     const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
     const answers = { 'server/discover': { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {}, resources: { subscribe: true } }, ttlMs: 0, cacheScope: 'public' },
       initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }, 'tools/call': { resultType: 'complete', content: [] } };
     const lines = createInterface({ input: process.stdin });
     lines.on('line', (line) => {
       const { id, method, params } = JSON.parse(line);
       tell('got ' + method);
       if (method === 'subscriptions/listen') say({ method: 'notifications/subscriptions/acknowledged', params: { notifications: params.notifications, _meta: { ${JSON.stringify(Key.subscriptionId)}: id } } });
       else if (params?.name === 'crash') process.exit(3);
       else if (id !== undefined) say({ id, result: answers[method] ?? {} });
     });
     lines.on('close', () => tell('end of input'));
     ${extra}`,
  );
  return { args: [script], story: async () => (await readFile(story, 'utf8')).trim().split('\n') };
}

describe.each(['legacy', 'modern'] as const)('a client, %s over stdio', (era) => {
  const subject = { side: 'client', era, wire: 'stdio' } as const;

  test(
    'writes one message per line and nothing else',
    proves(subject, 'stdio.line', 'stdio.stdin'),
    async () => {
      const server = new RawStdioServer({
        ...handshake,
        'tools/call': () => complete(era, { content: [] }),
      });
      const client = await connectClient(() => server.open(), { info: CLIENT_INFO, era });
      await client.callTool('t', { text: 'a\nb\r\nc\u2028d' });
      await client.close();
      expect(server.lines.length).toBeGreaterThanOrEqual(2);
      for (const line of server.lines) {
        expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
        expect(line).not.toMatch(/[\r\n]/);
      }
    },
  );

  test('survives output that is not a message', proves(subject, 'stdio.line'), async () => {
    const server = new RawStdioServer({
      ...handshake,
      'tools/call': () => complete(era, { content: [] }),
    });
    const client = await connectClient(() => server.open(), { info: CLIENT_INFO, era });
    server.write('Debugger listening\n\n{"jsonrpc":"2.0"}\r\n[]\n7\n');
    expect(await client.callTool('t', {})).toMatchObject({ content: [] });
    await client.close();
  });

  test(
    'does not treat stderr as a failure and ends the process by the end of its input',
    proves(subject, 'stdio.stderr', 'stdio.shutdown'),
    async () => {
      const { args, story } = await processServer(
        "process.stderr.write('error: everything is on fire\\n');",
      );
      const client = await connectClient(() => spawnStdio({ command: process.execPath, args }), {
        info: CLIENT_INFO,
        era,
      });
      expect(await client.callTool('t', {})).toMatchObject({ content: [] });
      await client.close();
      expect((await story()).at(-1)).toBe('end of input');
    },
  );

  test('ends a process that stays with SIGTERM', proves(subject, 'stdio.shutdown'), async () => {
    const { args, story } = await processServer(
      "setInterval(() => undefined, 1000); process.on('SIGTERM', () => { tell('terminated'); process.exit(0); });",
    );
    const client = await connectClient(() => spawnStdio({ command: process.execPath, args }), {
      info: CLIENT_INFO,
      era,
    });
    await client.close();
    expect((await story()).slice(-2)).toEqual(['end of input', 'terminated']);
  });
});

describe('a client, modern over stdio', () => {
  const subject = { side: 'client', era: 'modern', wire: 'stdio' } as const;

  test('cancels with a notification', proves(subject, 'stdio.cancel'), async () => {
    const server = await startRawServer('stdio', { 'tools/call': () => undefined });
    const client = await connectClient(() => server.open(), { info: CLIENT_INFO, era: 'modern' });
    const stop = new AbortController();
    const call = client.callTool('t', {}, { signal: stop.signal });
    const { id } = await server.inbox.find((message) => message.method === 'tools/call');
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
    expect(
      await server.inbox.find((message) => message.method === 'notifications/cancelled'),
    ).toMatchObject({ params: { requestId: id } });
    await client.close();
  });

  test(
    'restarts a crashed server and reopens its subscriptions',
    proves(subject, 'stdio.restart', 'stdio.listen-again'),
    async () => {
      const { args, story } = await processServer();
      const client = await connectClient(() => spawnStdio({ command: process.execPath, args }), {
        info: CLIENT_INFO,
        era: 'modern',
      });
      onTestFinished(() => client.close());
      await client.watch({ resources: ['x:1'] });
      await expect(client.callTool('crash', {})).rejects.toMatchObject({ code: 'connection-lost' });
      await client.reconnect();
      await expect
        .poll(
          async () => (await story()).filter((line) => line === 'got subscriptions/listen').length,
        )
        .toBe(2);
      expect(await client.callTool('t', {})).toMatchObject({ content: [] });
      expect((await story()).filter((line) => line === 'got tools/call')).toHaveLength(2);
    },
  );

  test(
    'a byte stream has the framing of stdio',
    proves({ ...subject, wire: 'any' }, 'custom.byte-stream'),
    async () => {
      // The streams of this server have no process behind them.
      const server = new RawStdioServer(handshake);
      const client = await connectClient(() => server.open(), { info: CLIENT_INFO });
      await client.close();
      expect(JSON.parse(server.lines[0] ?? '')).toMatchObject({ method: 'server/discover' });
    },
  );
});
