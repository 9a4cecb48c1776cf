import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  ClientV1,
  HttpClientTransportV1,
  StdioClientTransportV1,
} from '../../../peers/src/sdk-v1-clients.ts';
import {
  ClientV2,
  HttpClientTransportV2,
  StdioClientTransportV2,
} from '../../../peers/src/sdk-v2-clients.ts';
import { ourServers, serveOverHttp, type OurServer, type ToolCall } from './our-servers.ts';

interface Answer {
  readonly [member: string]: unknown;
}

interface Host {
  callTool(call: ToolCall): Promise<Answer>;
  close(): Promise<void>;
}

const info = { name: 'host', version: '1.0.0' };

async function hostOnV1(transport: StdioClientTransportV1 | HttpClientTransportV1): Promise<Host> {
  const client = new ClientV1(info, { capabilities: {} });
  await client.connect(transport);
  // The client checks results only against output schemas that it has listed.
  await client.listTools();
  return {
    callTool: ({ tool, args }) => client.callTool({ name: tool, arguments: { ...args } }),
    close: () => client.close(),
  };
}

async function hostOnV2(
  transport: StdioClientTransportV2 | HttpClientTransportV2,
  mode: 'auto' | 'legacy',
): Promise<Host> {
  const client = new ClientV2(info, { capabilities: {}, versionNegotiation: { mode } });
  await client.connect(transport);
  await client.listTools();
  return {
    callTool: ({ tool, args }) => client.callTool({ name: tool, arguments: { ...args } }),
    close: () => client.close(),
  };
}

const stdio = (server: OurServer) => ({
  command: process.execPath,
  args: [...server.args],
  stderr: 'ignore' as const,
});

const hosts: readonly [string, (server: OurServer, url: string) => Promise<Host>][] = [
  ['SDK v1 over stdio', (server) => hostOnV1(new StdioClientTransportV1(stdio(server)))],
  ['SDK v1 over HTTP', (_server, url) => hostOnV1(new HttpClientTransportV1(new URL(url)))],
  [
    'SDK v2, legacy, over stdio',
    (server) => hostOnV2(new StdioClientTransportV2(stdio(server)), 'legacy'),
  ],
  [
    'SDK v2, modern, over stdio',
    (server) => hostOnV2(new StdioClientTransportV2(stdio(server)), 'auto'),
  ],
  [
    'SDK v2, modern, over HTTP',
    (_server, url) => hostOnV2(new HttpClientTransportV2(new URL(url)), 'auto'),
  ],
];

let ours: Awaited<ReturnType<typeof ourServers>>;

beforeAll(async () => {
  ours = await ourServers();
});

afterAll(() => ours.remove());

describe.each(['filesystem', 'sqlite', 'weather'])('server-%s', (name) => {
  test.each(hosts)(
    'the text of a failing tool with an output schema arrives (%s)',
    async (title, connect) => {
      const own = ours.servers.find((server): server is OurServer => server.name === name);
      if (own === undefined) throw new Error(`no server ${name}`);
      let url = '';
      if (title.endsWith('HTTP')) {
        const served = await serveOverHttp(own);
        onTestFinished(() => served.stop());
        url = served.url;
      }
      const host = await connect(own, url);
      onTestFinished(() => host.close());
      for (const [call, isError] of [
        [own.works, false],
        [own.fails, true],
      ] as const) {
        const result = await host.callTool(call);
        expect({
          isError: result['isError'] === true,
          text: JSON.stringify(result['content']),
        }).toEqual({ isError, text: expect.stringContaining(call.text) as string });
      }
    },
  );
});
