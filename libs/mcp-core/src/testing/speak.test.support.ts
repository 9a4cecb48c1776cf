import { metaOf } from '../era/meta-keys.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Server } from '../server/server.ts';
import { connectRaw, initialize, modern } from './raw-client.test.support.ts';

/** Sends consecutive requests in one revision and returns the whole responses. */
export type Speak = (method: string, params?: JsonObject) => Promise<JsonObject>;

export async function speak(
  server: Server,
  version: string,
  capabilities: JsonObject = {},
): Promise<Speak> {
  const client = await connectRaw(server);
  const isModern = version === '2026-07-28';
  if (!isModern) await initialize(client, version, capabilities);
  let nextId = 1;
  return (method, params) => {
    const meta = { ...metaOf(params), 'io.modelcontextprotocol/clientCapabilities': capabilities };
    return client.request(nextId++, method, isModern ? modern(params, meta) : params);
  };
}
