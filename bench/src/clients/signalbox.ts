import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { textOf, type ConnectBenchClient } from './bench-client.ts';

export const connect: ConnectBenchClient = async (program, era) => {
  const client = await connectClient(() => spawnStdio({ command: 'node', args: [program] }), { info: { name: 'bench', version: '1.0.0' }, era });
  return {
    listTools: async () => (await client.listTools()).length,
    echo: async (text) => textOf((await client.callTool('echo', { text })).content),
    flood: async (notifications, onProgress) => {
      await client.callTool('flood', { notifications }, { onProgress });
    },
    close: () => client.close(),
  };
};
