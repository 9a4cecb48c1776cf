import { fileURLToPath } from 'node:url';
import type { Era } from '@signalbox/mcp-core';

/** Modes of an HTTP server: 2025-11-25 with or without sessions, or 2026-07-28, which has none. Only ours has sessions with an event store. */
export type HttpMode = 'sessions' | 'sessions without event store' | 'stateless' | 'modern';

export interface Implementation {
  readonly name: string;
  readonly eras: readonly Era[];
  /** A program that serves 30 tools over stdio, `echo` and `flood` among them. */
  readonly server: string;
  readonly httpModes: readonly HttpMode[];
  /** A program that serves tools over HTTP; its arguments are a mode and the number of tools. It sends its port to the parent process. */
  readonly httpServer: string;
  /** A module that exports `connect`, a `ConnectBenchClient`. */
  readonly client: string;
  /** Entry points that users import, by purpose; several are separated by a space. */
  readonly entries: Readonly<Record<string, string>>;
  /** The folder whose packages `entries` names. */
  readonly importsFrom: string;
}

export const FLOOR_SERVER = pathOf('floor/server.mjs');
export const FLOOR_HTTP_SERVER = pathOf('floor/http-server.mjs');

/** Names of the implementations that the targets refer to. */
export const FLOOR = 'floor';
export const OURS = 'signalbox';
export const RIVAL = 'sdk-v2';

const PEERS = pathOf('../../tests/peers');
const HERE = pathOf('.');

const entriesOfOurs = {
  neutral: '@signalbox/mcp-core',
  server: '@signalbox/mcp-core/server',
  client: '@signalbox/mcp-core/client',
  stdio: '@signalbox/mcp-core/stdio',
  http: '@signalbox/mcp-core/http/server',
  'server and http': '@signalbox/mcp-core/server @signalbox/mcp-core/http/server',
  'http-client': '@signalbox/mcp-core/http/client',
  testing: '@signalbox/mcp-core/testing',
};
const entriesOfV1 = {
  server: '@modelcontextprotocol/sdk/server/mcp.js',
  client: '@modelcontextprotocol/sdk/client/index.js',
  stdio: '@modelcontextprotocol/sdk/server/stdio.js',
  http: '@modelcontextprotocol/sdk/server/streamableHttp.js',
  'server and http':
    '@modelcontextprotocol/sdk/server/mcp.js @modelcontextprotocol/sdk/server/streamableHttp.js',
  'http-client': '@modelcontextprotocol/sdk/client/streamableHttp.js',
};
const entriesOfV2 = {
  server: '@modelcontextprotocol/server',
  client: '@modelcontextprotocol/client',
  stdio: '@modelcontextprotocol/server/stdio',
  http: '@modelcontextprotocol/node',
  'server and http': '@modelcontextprotocol/server @modelcontextprotocol/node',
};

const bothEras = ['legacy', 'modern'] as const;
const allModes = ['sessions', 'stateless', 'modern'] as const;

export const implementations: readonly Implementation[] = [
  {
    name: FLOOR,
    eras: bothEras,
    server: FLOOR_SERVER,
    httpModes: allModes,
    httpServer: FLOOR_HTTP_SERVER,
    client: pathOf('floor/client.ts'),
    entries: {},
    importsFrom: HERE,
  },
  {
    name: OURS,
    eras: bothEras,
    httpModes: allModes,
    ...programsOf('signalbox'),
    entries: entriesOfOurs,
    importsFrom: HERE,
  },
  {
    name: 'sdk-v1',
    eras: ['legacy'],
    httpModes: ['sessions', 'stateless'],
    ...programsOf('sdk-v1'),
    entries: entriesOfV1,
    importsFrom: PEERS,
  },
  {
    name: RIVAL,
    eras: bothEras,
    httpModes: allModes,
    ...programsOf('sdk-v2'),
    entries: entriesOfV2,
    importsFrom: PEERS,
  },
];

export function eraOf(mode: HttpMode): Era {
  return mode === 'modern' ? 'modern' : 'legacy';
}

function programsOf(name: string): Pick<Implementation, 'server' | 'httpServer' | 'client'> {
  return {
    server: pathOf(`servers/${name}.mjs`),
    httpServer: pathOf(`servers/${name}-http.mjs`),
    client: pathOf(`clients/${name}.ts`),
  };
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
