import { ClientV1, StdioClientTransportV1 } from '../../../tests/peers/src/sdk-v1.ts';
import { textOf, type ConnectBenchClient } from './bench-client.ts';

export const connect: ConnectBenchClient = async (program) => {
  const client = new ClientV1({ name: 'bench', version: '1.0.0' });
  await client.connect(new StdioClientTransportV1({ command: process.execPath, args: [program] }));
  return {
    listTools: async () => (await client.listTools()).tools.length,
    echo: async (text) => textOf((await client.callTool({ name: 'echo', arguments: { text } })).content),
    flood: async (notifications, onprogress) => {
      await client.callTool({ name: 'flood', arguments: { notifications } }, undefined, { onprogress });
    },
    close: () => client.close(),
  };
};
