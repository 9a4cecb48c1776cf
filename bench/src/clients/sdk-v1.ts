import {
  ClientV1,
  HttpClientTransportV1,
  StdioClientTransportV1,
} from '../../../tests/peers/src/sdk-v1-clients.ts';
import { textOf, urlOf, type ConnectBenchClient } from './bench-client.ts';

export const connect: ConnectBenchClient = async (server) => {
  const client = new ClientV1({ name: 'bench', version: '1.0.0' });
  const transport =
    'port' in server
      ? new HttpClientTransportV1(new URL(urlOf(server.port)))
      : new StdioClientTransportV1({ command: process.execPath, args: [server.program] });
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools.length,
    echo: async (text) =>
      textOf((await client.callTool({ name: 'echo', arguments: { text } })).content),
    flood: async (notifications, onprogress) => {
      await client.callTool({ name: 'flood', arguments: { notifications } }, undefined, {
        onprogress,
      });
    },
    close: () => client.close(),
  };
};
