import { connectClient } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { textOf, urlOf, type ConnectBenchClient } from './bench-client.ts';

export const connect: ConnectBenchClient = async (server, era) => {
  const open =
    'port' in server
      ? () => httpTransport({ url: urlOf(server.port) })
      : () => spawnStdio({ command: process.execPath, args: [server.program] });
  const client = await connectClient(open, { info: { name: 'bench', version: '1.0.0' }, era });
  return {
    listTools: async () => (await client.listTools()).length,
    echo: async (text) => textOf((await client.callTool('echo', { text })).content),
    flood: async (notifications, onProgress) => {
      await client.callTool('flood', { notifications }, { onProgress });
    },
    close: () => client.close(),
  };
};
