import {
  ClientV2,
  HttpClientTransportV2,
  StdioClientTransportV2,
} from '../../../tests/peers/src/sdk-v2-clients.ts';
import { textOf, urlOf, type ConnectBenchClient } from './bench-client.ts';

export const connect: ConnectBenchClient = async (server, era) => {
  const versionNegotiation = {
    mode: era === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const),
  };
  const client = new ClientV2({ name: 'bench', version: '1.0.0' }, { versionNegotiation });
  const isHttp = 'port' in server;
  await client.connect(
    isHttp
      ? new HttpClientTransportV2(new URL(urlOf(server.port)))
      : new StdioClientTransportV2({ command: process.execPath, args: [server.program] }),
  );
  return {
    listTools: async () => (await client.listTools()).tools.length,
    echo: async (text) =>
      textOf((await client.callTool({ name: 'echo', arguments: { text } })).content),
    flood: async (notifications, onprogress) => {
      await client.callTool({ name: 'flood', arguments: { notifications } }, { onprogress });
    },
    close: () => client.close(),
  };
};
