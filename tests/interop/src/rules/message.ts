import type { JsonObject, RequestId } from '@signalbox/mcp-core';

/** A message on the wire, loosely typed: a test checks the members it expects. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const CLIENT_INFO = { name: 'raw client', version: '1' };
export const SERVER_INFO = { name: 'raw server', version: '1' };

/** Names of reserved keys. */
export const Key = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** Returns the `_meta` of a modern request. */
export function modernMeta(capabilities: JsonObject = {}): JsonObject {
  return {
    [Key.protocolVersion]: '2026-07-28',
    [Key.clientInfo]: CLIENT_INFO,
    [Key.clientCapabilities]: capabilities,
  };
}

export function metaOf({ _meta: meta = {} }: JsonObject = {}): JsonObject {
  return meta as JsonObject;
}

/** Received messages, with waiting for later ones. */
export class Inbox {
  readonly messages: Message[] = [];
  #checks = new Set<() => void>();

  add(message: Message): void {
    this.messages.push(message);
    for (const check of this.#checks) check();
  }

  /** Resolves with the first message, past or future, that matches. */
  find(matches: (message: Message) => boolean): Promise<Message> {
    const found = this.messages.find(matches);
    if (found !== undefined) return Promise.resolve(found);
    const { promise, resolve } = Promise.withResolvers<Message>();
    const check = (): void => {
      const late = this.messages.find(matches);
      if (late === undefined) return;
      this.#checks.delete(check);
      resolve(late);
    };
    this.#checks.add(check);
    return promise;
  }
}
