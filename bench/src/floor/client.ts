import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Era } from '@signalbox/mcp-core';
import { textOf, type ConnectBenchClient } from '../clients/bench-client.ts';
import { FloorConnection } from './connection.ts';
import { FloorHttpConnection } from './http-connection.ts';
import type { FloorPeer } from './peer.ts';

export const connect: ConnectBenchClient = async (server, era) => {
  const opened = 'port' in server ? overHttp(server.port, era) : overStdio(server.program, era);
  const { peer } = opened;
  await peer.open();
  return {
    listTools: async () => {
      const { tools } = await peer.request('tools/list', {});
      return (tools as readonly unknown[]).length;
    },
    echo: async (text) => {
      const { content } = await peer.request('tools/call', { name: 'echo', arguments: { text } });
      return textOf(content);
    },
    flood: async (notifications, onProgress) => {
      peer.onNotification = onProgress;
      await peer.request(
        'tools/call',
        { name: 'flood', arguments: { notifications } },
        { progressToken: 1 },
      );
    },
    close: () => opened.close(),
  };
};

interface OpenedPeer {
  readonly peer: FloorPeer;
  close(): Promise<void>;
}

function overStdio(program: string, era: Era): OpenedPeer {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const close = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.stdin.end();
    await exited;
  };
  return { peer: new FloorConnection(child, era), close };
}

function overHttp(port: number, era: Era): OpenedPeer {
  const connection = new FloorHttpConnection(port, era);
  const close = (): Promise<void> => {
    connection.close();
    return Promise.resolve();
  };
  return { peer: connection, close };
}
