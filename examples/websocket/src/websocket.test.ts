import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { connect, createServer as createNetServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createServer } from '@signalbox/mcp-core/server';
import { transportContract, type StalledTransport } from '@signalbox/mcp-core/testing/contracts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { openWebSocket } from './websocket-client.ts';
import { serveWebSocket } from './websocket-server.ts';
import { MAX_MESSAGE_BYTES, SUBPROTOCOL } from './websocket-transport.ts';

async function serveNothing(): Promise<string> {
  const listener = await serveWebSocket(createServer({ info: { name: 'empty', version: '1' } }));
  onTestFinished(() => listener.close());
  return listener.url;
}

/** Opens a WebSocket through a relay that passes nothing on from the server until `resume`. */
async function openStalled(url: string): Promise<StalledTransport> {
  const toServer = connect(Number(new URL(url).port), '127.0.0.1');
  const relay = createNetServer((fromClient) => {
    toServer.pipe(fromClient).pipe(toServer);
    for (const socket of [toServer, fromClient]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const { port } = relay.address() as AddressInfo;
  const transport = await openWebSocket(`ws://127.0.0.1:${String(port)}`);
  toServer.pause();
  relay.close();
  return { transport, resume: () => toServer.resume() };
}

describe('a transport over WebSocket', () => {
  const checks = transportContract(
    async (server) => {
      const listener = await serveWebSocket(server);
      const { url } = listener;
      return { url, open: () => openWebSocket(url), close: () => listener.close() };
    },
    { openStalled: ({ url }) => openStalled(url) },
  );

  test.each(checks)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  test('reports the cause when its connection breaks', async () => {
    const transport = await openWebSocket(await serveNothing());
    const ended = Promise.withResolvers<Error | undefined>();
    await transport.start({
      message: () => undefined,
      unreadable: () => undefined,
      closed: ended.resolve,
    });
    const params = { text: 'x'.repeat(MAX_MESSAGE_BYTES) };
    await transport.send({ jsonrpc: '2.0', method: 'notifications/x', params });
    expect(await ended.promise).toEqual(new Error('The WebSocket was closed with code 1009'));
  });
});

test.each([
  ['a web page', { origin: 'https://example.com' }],
  ['a name that is not of this machine', { headers: { host: 'example.com' } }],
])('the server refuses %s', async (_name, options) => {
  const socket = new WebSocket(await serveNothing(), SUBPROTOCOL, options);
  const error = await new Promise((resolve) => socket.once('error', resolve));
  expect(error).toEqual(new Error('Unexpected server response: 401'));
});

test('a server that is not there rejects', async () => {
  const listener = await serveWebSocket(createServer({ info: { name: 'empty', version: '1' } }));
  await listener.close();
  await expect(openWebSocket(listener.url)).rejects.toThrow('ECONNREFUSED');
});

test('npm start prints the output of the README, from both eras', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@signalbox/source',
    join(import.meta.dirname, 'main.ts'),
  ]);
  expect(stdout).toMatch(/^2026-07-28: .*\n2025-11-25: .*\n$/);
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`\n${stdout}\`\`\`\n`);
});
