import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject, JsonRpcMessage } from '../jsonrpc/messages.ts';
import type { Server, ServerConnection } from '../server/server.ts';
import { createInMemoryTransports } from './in-memory-transport.ts';

/** A client that sends and receives plain JSON. */
export interface RawClient {
  /** Received messages, in order. */
  readonly received: readonly unknown[];
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  readonly connection: ServerConnection;
  /** Sends any JSON value. */
  send(value: unknown): void;
  /** Sends a request and resolves with its response. */
  request(id: string | number, method: string, params?: JsonObject): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): void;
  /** Resolves with the first message, past or future, that matches. */
  find(matches: (message: JsonObject) => boolean): Promise<JsonObject>;
  /**
   * Resolves when everything sent so far is handled, as far as possible without external events.
   */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Connects a raw client to a server in memory. */
export async function connectRaw(server: Server): Promise<RawClient> {
  const [near, far] = createInMemoryTransports();
  const received: unknown[] = [];
  const waiting = new Set<(message: JsonObject) => void>();
  const closed = Promise.withResolvers<undefined>();
  await near.start({
    message: (value) => {
      received.push(value);
      if (isJsonObject(value)) for (const check of waiting) check(value);
    },
    unreadable: () => undefined,
    closed: () => {
      closed.resolve(undefined);
    },
  });
  const connection = await server.connect(far);
  const send = (value: unknown): void => {
    // A raw client may send invalid messages.
    void near.send(value as JsonRpcMessage);
  };
  const find = (matches: (message: JsonObject) => boolean): Promise<JsonObject> => {
    const past = received.filter(isJsonObject).find(matches);
    if (past !== undefined) return Promise.resolve(past);
    const found = Promise.withResolvers<JsonObject>();
    const check = (message: JsonObject): void => {
      if (!matches(message)) return;
      waiting.delete(check);
      found.resolve(message);
    };
    waiting.add(check);
    return found.promise;
  };
  return {
    received,
    closed: closed.promise,
    connection,
    send,
    find,
    request: (id, method, params) => {
      const from = received.length;
      send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
      return find(
        (message) =>
          message.id === id && !('method' in message) && received.indexOf(message) >= from,
      );
    },
    notify: (method, params) => {
      send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
    },
    settled: async () => {
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    },
    close: () => near.close(),
  };
}

/** Returns the params of a modern request. */
export function modern(params: JsonObject = {}, meta: JsonObject = {}): JsonObject {
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      ...meta,
    },
  };
}

/** Opens a legacy session and returns the response to `initialize`. */
export async function initialize(
  client: RawClient,
  protocolVersion: string,
  capabilities: JsonObject = {},
): Promise<JsonObject> {
  const answer = await client.request('initialize', 'initialize', {
    protocolVersion,
    capabilities,
    clientInfo: { name: 'raw', version: '1' },
  });
  client.notify('notifications/initialized');
  return answer;
}
