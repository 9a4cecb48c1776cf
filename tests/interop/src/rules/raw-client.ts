import { PassThrough } from 'node:stream';
import type { Era, JsonObject, RequestId } from '@signalbox/mcp-core';
import type { Server } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';
import { onTestFinished } from 'vitest';
import { openHttp } from './http-wire.ts';
import { CLIENT_INFO, Inbox, metaOf, modernMeta, type Message } from './message.ts';
import type { RawWire } from './raw-wire.ts';

export interface ServerSetup {
  readonly era: Era;
  readonly wire: 'stdio' | 'http';
}

export interface RawClientOptions extends ServerSetup {
  /** Default: none. */
  readonly capabilities?: JsonObject;
  /** Requested legacy revision. Default: 2025-11-25. */
  readonly version?: string;
}

/** Every era on every wire of a server. */
export const SERVER_SETUPS: readonly ServerSetup[] = [
  { era: 'legacy', wire: 'stdio' },
  { era: 'legacy', wire: 'http' },
  { era: 'modern', wire: 'stdio' },
  { era: 'modern', wire: 'http' },
];

/** A scripted client that sends and receives exact messages. */
export class RawClient {
  readonly #wire: RawWire;
  readonly #options: RawClientOptions;
  #lastId = 0;

  constructor(wire: RawWire, options: RawClientOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  get received(): readonly Message[] {
    return this.#wire.inbox.messages;
  }

  send(message: unknown): void {
    this.#wire.send(message);
  }

  notify(method: string, params?: JsonObject): void {
    this.send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  }

  /** Sends a request of the era and returns its id. `params._meta` is kept. */
  ask(method: string, params: JsonObject = {}, id: RequestId = this.#nextId()): RequestId {
    const meta = {
      ...(this.#options.era === 'modern' ? modernMeta(this.#options.capabilities) : {}),
      ...metaOf(params),
    };
    this.send({
      jsonrpc: '2.0',
      id,
      method,
      params: Object.keys(meta).length === 0 ? params : { ...params, _meta: meta },
    });
    return id;
  }

  request(
    method: string,
    params: JsonObject = {},
    id: RequestId = this.#nextId(),
  ): Promise<Message> {
    return this.answer(this.ask(method, params, id));
  }

  answer(id: RequestId): Promise<Message> {
    return this.find((message) => message.id === id && message.method === undefined);
  }

  find(matches: (message: Message) => boolean): Promise<Message> {
    return this.#wire.inbox.find(matches);
  }

  /** Returns `undefined` on wires without status. */
  statusOf(id: RequestId): number | undefined {
    return this.#wire.statusOf?.(id);
  }

  /** Resolves when the server has responded to a request sent after all earlier messages. */
  async settled(): Promise<void> {
    await this.request(this.#options.era === 'modern' ? 'server/discover' : 'ping');
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  #nextId(): string {
    this.#lastId += 1;
    return `raw-${this.#lastId}`;
  }
}

/**
 * Connects to the server; performs the handshake in the legacy era. Closed at the end of the test.
 */
export async function openRawClient(server: Server, options: RawClientOptions): Promise<RawClient> {
  const client = await openWithoutHandshake(server, options);
  if (options.era === 'legacy') {
    await client.request('initialize', {
      protocolVersion: options.version ?? '2025-11-25',
      capabilities: options.capabilities ?? {},
      clientInfo: CLIENT_INFO,
    });
    client.notify('notifications/initialized');
  }
  return client;
}

export async function openWithoutHandshake(
  server: Server,
  options: RawClientOptions,
): Promise<RawClient> {
  const client = new RawClient(
    options.wire === 'stdio' ? openStdio(server).wire : await openHttp(server),
    options,
  );
  onTestFinished(() => client.close());
  return client;
}

/** Opens the stdio wire with its raw text. */
export function openStdio(server: Server): {
  readonly wire: RawWire;
  readonly input: PassThrough;
  readonly lines: readonly string[];
} {
  const input = new PassThrough();
  const output = new PassThrough();
  const inbox = new Inbox();
  const lines: string[] = [];
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      lines.push(line);
      for (const message of [JSON.parse(line) as Message | Message[]].flat()) inbox.add(message);
    }
  });
  const served = serveStdio(server, { input, output });
  return {
    lines,
    input,
    wire: {
      inbox,
      send: (message) => {
        input.write(`${JSON.stringify(message)}\n`);
      },
      close: async () => {
        input.end();
        await (
          await served
        ).closed;
      },
    },
  };
}
