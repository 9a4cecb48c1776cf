import type { Era, JsonObject } from '@signalbox/mcp-core';
import { connectClient, type Client, type ClientOptions } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { onTestFinished } from 'vitest';
import { CLIENT_INFO, Key, SERVER_INFO, type Message } from './message.ts';
import type { RawServer, Script, ScriptedResponse, Step } from './script.ts';
import { RawHttpServer } from './raw-http-server.ts';
import { RawStdioServer } from './raw-stdio-server.ts';

export interface ClientSetup {
  readonly era: Era;
  readonly wire: 'stdio' | 'http';
}

/** Every era on every wire of a client. */
export const CLIENT_SETUPS: readonly ClientSetup[] = [
  { era: 'legacy', wire: 'stdio' },
  { era: 'legacy', wire: 'http' },
  { era: 'modern', wire: 'stdio' },
  { era: 'modern', wire: 'http' },
];

export interface Connected {
  readonly client: Client;
  readonly server: RawServer;
}

export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

export const discovered: Step = () => ({
  result: {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: CAPABILITIES,
    ttlMs: 0,
    cacheScope: 'public',
    _meta: { [Key.serverInfo]: SERVER_INFO },
  },
});

export const initialized =
  (protocolVersion = '2025-11-25', capabilities: JsonObject = CAPABILITIES): Step =>
  () => ({ result: { protocolVersion, capabilities, serverInfo: SERVER_INFO } });

/** Returns a result of the era. */
export function complete(era: Era, result: JsonObject): ScriptedResponse {
  return { result: era === 'modern' ? { resultType: 'complete', ...result } : result };
}

export async function startRawServer(wire: 'stdio' | 'http', script: Script): Promise<RawServer> {
  const all = {
    'server/discover': discovered,
    initialize: initialized(),
    ping: () => ({ result: {} }),
    ...script,
  };
  const server =
    wire === 'stdio'
      ? new RawStdioServer(all)
      : await RawHttpServer.start(all, (url) => httpTransport({ url }));
  onTestFinished(() => server.close());
  return server;
}

/** Connects a client of the era to the script. */
export async function connect(
  { era, wire }: ClientSetup,
  script: Script = {},
  options: Partial<ClientOptions> = {},
): Promise<Connected> {
  const server = await startRawServer(wire, script);
  const client = await connectClient(() => server.open(), { info: CLIENT_INFO, era, ...options });
  onTestFinished(() => client.close());
  return { client, server };
}

/** Returns all messages of the client with this method. */
export function sent(server: RawServer, method: string): readonly Message[] {
  return server.inbox.messages.filter((message) => message.method === method);
}
