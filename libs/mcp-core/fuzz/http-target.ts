import { encodeHeaderValue } from '../src/http/headers/header-value.ts';
import { mcpNameOf } from '../src/http/headers/mcp-name.ts';
import { createHttpHandler, type HttpHandler } from '../src/http/server/index.ts';
import { isJsonObject } from '../src/jsonrpc/envelope.ts';
import { expectedResponses, LOOSE_ID } from './expected-responses.ts';
import { fuzzServer, MAX_LINE_BYTES } from './fuzz-server.ts';
import type { FuzzConnection, FuzzMessage, FuzzSession, FuzzTarget } from './fuzz-target.ts';

const URL = 'http://127.0.0.1/mcp';
const TEXT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Sends each message as a separate POST, concurrently; the first message decides the era. */
export const httpTarget: FuzzTarget = {
  name: 'http',
  isText: true,
  open: (answered) => Promise.resolve(new Poster(answered)),
};

interface Opened {
  readonly session: FuzzSession;
  readonly headers: { readonly [name: string]: string };
}

class Poster implements FuzzConnection {
  readonly #handler: HttpHandler = createHttpHandler(fuzzServer(), {
    limits: { maxBodyBytes: MAX_LINE_BYTES, drainMs: 100 },
    onError: () => undefined,
  });
  readonly #answered: (value: unknown) => void;
  readonly #streams = new Set<Promise<void>>();
  /** Modern requests that may stay open: a client cancels them by closing the connection. */
  readonly #loose = new Map<unknown, AbortController>();
  #opened: Promise<Opened> | undefined;

  constructor(answered: (value: unknown) => void) {
    this.#answered = answered;
  }

  send(messages: readonly FuzzMessage[]): void {
    const [first] = messages;
    const initialize = this.#opened === undefined ? first?.json?.value : undefined;
    const opened = (this.#opened ??= this.#open(initialize));
    const isOpening = isJsonObject(initialize) && initialize.method === 'initialize';
    for (const message of isOpening ? [] : messages) {
      const posting = this.#post(message, opened).finally(() => this.#streams.delete(posting));
      this.#streams.add(posting);
    }
  }

  async close(): Promise<void> {
    await this.#handler.close();
    await Promise.all(this.#streams);
  }

  /**
   * Opens the session of an `initialize` request; a conversation that begins otherwise has none.
   */
  async #open(initialize: unknown): Promise<Opened> {
    if (!isJsonObject(initialize) || initialize.method !== 'initialize')
      return { session: 'modern', headers: TEXT };
    const response = await this.#handler.fetch(
      new Request(URL, { method: 'POST', headers: TEXT, body: JSON.stringify(initialize) }),
    );
    const answer = (await response.json()) as {
      readonly result: { readonly protocolVersion: FuzzSession };
    };
    this.#answered(answer);
    const session = answer.result.protocolVersion;
    return {
      session,
      headers: {
        ...TEXT,
        'mcp-session-id': String(response.headers.get('mcp-session-id')),
        'mcp-protocol-version': session,
      },
    };
  }

  /**
   * Closes the connection of the request that a message cancels or whose id it reuses. Returns the
   * message's own signal, if any.
   */
  #closeLoose({ json }: FuzzMessage): AbortSignal | undefined {
    const { id, method, params } = isJsonObject(json?.value) ? json.value : {};
    const cancelled =
      method === 'notifications/cancelled' && isJsonObject(params) ? params.requestId : id;
    if (typeof cancelled !== 'string' || !cancelled.startsWith(LOOSE_ID)) return undefined;
    this.#loose.get(cancelled)?.abort();
    this.#loose.delete(cancelled);
    if (id === undefined) return undefined;
    const controller = new AbortController();
    this.#loose.set(cancelled, controller);
    return controller.signal;
  }

  async #readEvents(response: Response): Promise<void> {
    for await (const data of eventsOf(response)) this.#answered(JSON.parse(data));
  }

  async #post(message: FuzzMessage, opened: Promise<Opened>): Promise<void> {
    const { session, headers } = await opened;
    const mirrored = session === 'modern' ? modernHeaders(message) : {};
    const signal = session === 'modern' ? this.#closeLoose(message) : undefined;
    const body = new Uint8Array(message.bytes);
    const response = await this.#handler.fetch(
      new Request(URL, {
        method: 'POST',
        headers: { ...headers, ...mirrored },
        body,
        ...(signal === undefined ? {} : { signal }),
      }),
    );
    if (signal?.aborted === true) return;
    const isDue = expectedResponses(message, session).length > 0;
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
      await unlessClosed(signal, this.#readEvents(response));
    } else if (
      response.status === 400 &&
      session === '2025-03-26' &&
      Array.isArray(message.json?.value)
    ) {
      // A single response refuses the whole POST.
      for (const id of idsOf(message.json.value, session)) this.#answered({ id });
    } else if (isDue) {
      // A message that is too long is refused as HTTP, before it is read as JSON-RPC.
      this.#answered(
        response.status === 413
          ? { id: isJsonObject(message.json?.value) ? message.json.value.id : undefined }
          : await response.json(),
      );
    } else if (response.status !== 202 && response.status < 400) {
      throw new Error(
        `${String(response.status)} for what needs no answer: ${message.bytes.toString('utf8', 0, 200)}`,
      );
    }
  }
}

/** Ignores read errors after the client itself closed the connection. */
async function unlessClosed(
  signal: AbortSignal | undefined,
  reading: Promise<void>,
): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

function idsOf(batch: readonly unknown[], session: FuzzSession): readonly unknown[] {
  return batch
    .filter(
      (value) => expectedResponses({ bytes: Buffer.of(), json: { value } }, session).length > 0,
    )
    .map((value) => (value as { readonly id: unknown }).id);
}

function modernHeaders({ json }: FuzzMessage): { readonly [name: string]: string } {
  const { method, params } = isJsonObject(json?.value) ? json.value : {};
  const name =
    typeof method === 'string' && isJsonObject(params) ? mcpNameOf(method, params) : undefined;
  return {
    'mcp-protocol-version': '2026-07-28',
    ...(typeof method === 'string' && /^[\x21-\x7e]+$/u.test(method)
      ? { 'mcp-method': method }
      : {}),
    ...(typeof name === 'string' ? { 'mcp-name': encodeHeaderValue(name) } : {}),
  };
}

async function* eventsOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const events = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data:'));
      const text = data.map((line) => line.slice(5).trim()).join('\n');
      if (text !== '') yield text;
    }
  }
}
