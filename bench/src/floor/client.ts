import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { textOf, type ConnectBenchClient } from '../clients/bench-client.ts';
import { FloorConnection } from './connection.ts';

export const connect: ConnectBenchClient = async (program, era) => {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = new FloorConnection(child, era);
  await connection.open();
  return {
    listTools: async () => {
      const { tools } = await connection.request('tools/list', {});
      return (tools as readonly unknown[]).length;
    },
    echo: async (text) => {
      const { content } = await connection.request('tools/call', { name: 'echo', arguments: { text } });
      return textOf(content);
    },
    flood: async (notifications, onProgress) => {
      connection.onNotification = onProgress;
      await connection.request('tools/call', { name: 'flood', arguments: { notifications } }, { progressToken: 1 });
    },
    close: async () => {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
};
