import type {
  JsonObject,
  JsonRpcBatch,
  JsonRpcMessage,
  RequestId,
} from '../../jsonrpc/messages.ts';
import type { SendOptions, Transport, TransportReceiver } from '../../jsonrpc/transport.ts';

/** A message of the client, loosely typed: a test reads the members that it expects. */
export interface WireMessage {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Answers one request: a result, an error, or `undefined` for silence. */
export type Step = (
  request: WireMessage,
) => { readonly result: JsonObject } | { readonly error: JsonObject } | undefined;

/** The client's end of a wire whose other end is played by the test. Everything passes as JSON text. */
export class ScriptedServer implements Transport {
  readonly received: WireMessage[] = [];
  /** The headers of each received message. */
  readonly headers: SendOptions['headers'][] = [];
  /** Set before the client starts. */
  hasStreamPerRequest = false;
  /** Set before the client starts. */
  carriesHeaders = false;
  readonly #script: { [method: string]: Step };
  #waiting: (() => boolean)[] = [];
  #receiver: TransportReceiver | undefined;
  #isClosed = false;

  constructor(script: { [method: string]: Step } = {}) {
    this.#script = script;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  start(receiver: TransportReceiver): Promise<void> {
    this.#receiver = receiver;
    return Promise.resolve();
  }

  async send(message: JsonRpcMessage | JsonRpcBatch, options?: SendOptions): Promise<void> {
    if (this.#isClosed) throw new Error('The wire is cut');
    const seen = JSON.parse(JSON.stringify(message)) as WireMessage;
    this.received.push(seen);
    this.headers.push(options?.headers);
    this.#waiting = this.#waiting.filter((isMet) => !isMet());
    await Promise.resolve();
    const answer = seen.method === undefined ? undefined : this.#script[seen.method]?.(seen);
    if (answer !== undefined) this.deliver({ id: seen.id, ...answer });
  }

  close(): Promise<void> {
    this.crash();
    return Promise.resolve();
  }

  /** Sends the client a message, with `jsonrpc` added. */
  deliver(message: object): void {
    this.deliverRaw({ jsonrpc: '2.0', ...message });
  }

  deliverRaw(value: unknown): void {
    if (!this.#isClosed) this.#receiver?.message(JSON.parse(JSON.stringify(value)));
  }

  deliverGarbage(detail: string): void {
    this.#receiver?.unreadable({ reason: 'parse-error', detail });
  }

  notify(method: string, params: JsonObject): void {
    this.deliver({ method, params });
  }

  /** A request alone fails; the connection goes on. */
  fail(id: RequestId, error: Error): void {
    if (!this.#isClosed) this.#receiver?.requestFailed?.(id, error);
  }

  /** Ends the connection from the server's side. */
  crash(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#receiver?.closed(error);
  }

  /** The headers of each message with this method. */
  headersOf(method: string): readonly SendOptions['headers'][] {
    return this.headers.filter((_, index) => this.received[index]?.method === method);
  }

  all(method: string): readonly WireMessage[] {
    return this.received.filter((message) => message.method === method);
  }

  /** The `count`th message with this method, now or when it comes. */
  receives(method: string, count = 1): Promise<WireMessage> {
    return this.#when(() => this.all(method)[count - 1]);
  }

  /** The answer to the question of the script with this id. */
  answerTo(id: RequestId): Promise<WireMessage> {
    return this.#when(() =>
      this.received.find((message) => message.id === id && message.method === undefined),
    );
  }

  #when(find: () => WireMessage | undefined): Promise<WireMessage> {
    return new Promise((resolve) => {
      const isMet = (): boolean => {
        const found = find();
        if (found !== undefined) resolve(found);
        return found !== undefined;
      };
      if (!isMet()) this.#waiting.push(isMet);
    });
  }
}

export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  logging: {},
};

export const discovered: Step = () => ({
  result: {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: CAPABILITIES,
    instructions: 'Ask nicely',
    ttlMs: 0,
    cacheScope: 'public',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '2' } },
  },
});

export function initialized(protocolVersion = '2025-11-25'): Step {
  return () => ({
    result: {
      protocolVersion,
      capabilities: CAPABILITIES,
      serverInfo: { name: 'legacy', version: '1' },
      instructions: 'Hello',
    },
  });
}

export function refused(code: number, data?: unknown): Step {
  return () => ({ error: { code, message: 'refused', ...(data === undefined ? {} : { data }) } });
}

export const silent: Step = () => undefined;
