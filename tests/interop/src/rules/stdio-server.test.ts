import { createServer } from '@signalbox/mcp-core/server';
import { createInMemoryTransports } from '@signalbox/mcp-core/testing';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { CLIENT_INFO, modernMeta, type Message } from './message.ts';
import { openStdio } from './raw-client.ts';
import { echo, holdingTool, serverOptions } from './test-tools.ts';

const opening = {
  legacy: [
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT_INFO },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ],
  modern: [],
};
const metaOf = { legacy: {}, modern: { _meta: modernMeta() } };

describe.each(['legacy', 'modern'] as const)('a server, %s over stdio', (era) => {
  const subject = { side: 'server', era, wire: 'stdio' } as const;

  test(
    'writes one message per line and nothing else',
    proves(subject, 'stdio.line', 'stdio.stdout'),
    async () => {
      const { wire, lines } = openStdio(createServer(serverOptions({ tools: [echo] })));
      for (const message of opening[era]) wire.send(message);
      wire.send({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: 'a\nb\r\nc\u2028d\u2029e' }, ...metaOf[era] },
      });
      wire.send({ jsonrpc: '2.0', id: 2, method: 'no/such', params: metaOf[era] });
      await Promise.all([1, 2].map((id) => wire.inbox.find((message) => message.id === id)));
      await wire.close();
      expect(lines).toHaveLength(era === 'legacy' ? 3 : 2);
      for (const line of lines) {
        expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
        expect(line).not.toMatch(/[\r\n]/);
      }
    },
  );

  test.for([
    ['one byte at a time', (text: string) => [...Buffer.from(text)].map((byte) => Buffer.of(byte))],
    ['all at once', (text: string) => [Buffer.from(text)]],
    ['with \\r\\n', (text: string) => [Buffer.from(text.replaceAll('\n', '\r\n'))]],
  ] as const)(
    'reads lines that come %s',
    proves(subject, 'stdio.line', 'rpc.utf-8'),
    async ([, cut]) => {
      const { wire, input } = openStdio(createServer(serverOptions({ tools: [echo] })));
      const call = (id: number) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: '漢🎛️' }, ...metaOf[era] },
      });
      const text = [...opening[era], call(1), call(2)]
        .map((message) => `${JSON.stringify(message)}\n`)
        .join('');
      for (const chunk of cut(text)) input.write(chunk);
      for (const id of [1, 2])
        expect(await wire.inbox.find((message) => message.id === id)).toMatchObject({
          result: { content: [{ text: '漢🎛️' }] },
        });
      await wire.close();
    },
  );

  test('survives input that is not JSON', proves(subject, 'stdio.stdout'), async () => {
    const { wire, input } = openStdio(createServer(serverOptions({ tools: [echo] })));
    for (const message of opening[era]) wire.send(message);
    input.write('{"jsonrpc": nonsense\n\n[]\n42\n');
    wire.send({
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { name: 'echo', ...metaOf[era] },
    });
    expect(await wire.inbox.find((message) => message.id === 9)).toHaveProperty('result');
    const errors = wire.inbox.messages.filter((message) => message.error !== undefined);
    expect(errors.map((message) => [message.id, message.error?.code])).toEqual([
      [undefined, -32_700],
      [undefined, -32_600],
      [undefined, -32_600],
    ]);
    await wire.close();
  });

  test(
    'exits at the end of its input',
    era === 'modern' ? proves(subject, 'stdio.end-of-input') : {},
    async () => {
      const holding = holdingTool();
      const { wire } = openStdio(createServer(serverOptions({ tools: [holding.tool] })));
      for (const message of opening[era]) wire.send(message);
      wire.send({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'hold', ...metaOf[era] },
      });
      const { signal } = await holding.started;
      await wire.close();
      expect(signal.aborted).toBe(true);
    },
  );

  test(
    'another transport carries the same messages',
    proves({ ...subject, wire: 'any' }, 'custom.messages'),
    async () => {
      const [near, far] = createInMemoryTransports();
      const answers: unknown[] = [];
      await near.start({
        message: (value) => answers.push(value),
        unreadable: () => undefined,
        closed: () => undefined,
      });
      const server = createServer(serverOptions({ tools: [echo] }));
      await server.connect(far);
      const { wire } = openStdio(server);
      const messages = [
        ...opening[era],
        { jsonrpc: '2.0', id: 1, method: 'tools/list', params: metaOf[era] },
        { jsonrpc: '2.0', id: 2, method: 'no/such', params: metaOf[era] },
      ] as const;
      for (const message of messages) {
        wire.send(message);
        // Both lists hold requests and notifications.
        await near.send(message as Parameters<typeof near.send>[0]);
      }
      await Promise.all([1, 2].map((id) => wire.inbox.find((message) => message.id === id)));
      await expect.poll(() => answers.length).toBe(wire.inbox.messages.length);
      const byId = (list: readonly unknown[]) =>
        (list as Message[]).toSorted((a, b) => Number(a.id) - Number(b.id));
      expect(byId(answers)).toEqual(byId(wire.inbox.messages));
      await near.close();
      await wire.close();
    },
  );
});

describe('a server, modern over a byte stream', () => {
  test(
    'the framing of stdio works on any pair of streams',
    proves({ side: 'server', era: 'modern', wire: 'any' }, 'custom.byte-stream'),
    async () => {
      // PassThrough streams have no process behind them.
      const { wire, lines } = openStdio(createServer(serverOptions()));
      wire.send({
        jsonrpc: '2.0',
        id: 1,
        method: 'server/discover',
        params: { _meta: modernMeta() },
      });
      await wire.inbox.find((message) => message.id === 1);
      await wire.close();
      expect(lines).toHaveLength(1);
    },
  );
});
