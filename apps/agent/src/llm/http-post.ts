import type { Agent, AgentOptions, ClientRequest, IncomingMessage, request } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { Post, PostRequest, PostResponse } from './model-post.ts';

/** Idle time after which a connection is closed, in milliseconds. Shorter than that of common servers. */
const IDLE_CONNECTION_MS = 4000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Bytes of a body that are read before they are asked for. */
const MAX_AHEAD_BYTES = 64 * 1024;
/** Maximum bytes of the rest of a discarded body. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const DISCARD_TIMEOUT_MS = 1000;

interface Client {
  readonly request: typeof request;
  readonly agent: Agent;
}

const clients = new Map<string, Client>();

export interface HttpPostOptions {
  /** Maximum milliseconds to connect, including TLS. Default: 10,000. */
  readonly connectTimeoutMs?: number;
  /** Maximum milliseconds until the end of a discarded body. Default: 1000. */
  readonly discardTimeoutMs?: number;
}

/**
 * Returns a function that sends requests over pooled connections of the process. Uses the proxy of
 * the environment if `NODE_USE_ENV_PROXY` is set.
 */
export function httpPost({
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  discardTimeoutMs = DISCARD_TIMEOUT_MS,
}: HttpPostOptions = {}): Post {
  const timeouts = { connectTimeoutMs, discardTimeoutMs };
  return (asked) => send(asked, timeouts);
}

function clientOf(protocol: string): Client {
  const known = clients.get(protocol);
  if (known !== undefined) return known;
  // An import statement reads every export of node:http, and one of them loads undici.
  const http = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  // The options of the global agent, which its types leave out, contain the variables of the proxy.
  const { options } = http.globalAgent as { readonly options?: AgentOptions };
  const client = {
    request: http.request,
    agent: new http.Agent({ ...options, keepAlive: true, timeout: IDLE_CONNECTION_MS }),
  };
  clients.set(protocol, client);
  return client;
}

function send(
  { url, headers, body, signal }: PostRequest,
  { connectTimeoutMs, discardTimeoutMs }: Required<HttpPostOptions>,
): Promise<PostResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const { protocol, hostname, port, pathname, search } = new URL(url);
    const client = clientOf(protocol);
    const sent = client.request({
      agent: client.agent,
      method: 'POST',
      protocol,
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      path: pathname + search,
      headers: { ...headers, 'accept-encoding': 'identity' },
    });
    const onAbort = (): void => void sent.destroy(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    sent
      .on('error', (error) => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      })
      .on('response', (response: IncomingMessage) => {
        const stop = (): void => signal.removeEventListener('abort', onAbort);
        resolve(new HttpResponse({ request: sent, response, stop, discardTimeoutMs }));
      });
    limitConnecting(sent, connectTimeoutMs);
    sent.end(body);
  });
}

/** Destroys a request whose new connection is not ready in time. */
function limitConnecting(sent: ClientRequest, timeoutMs: number): void {
  sent.once('socket', (socket) => {
    if (sent.reusedSocket) return;
    const timer = setTimeout(() => {
      const error = new Error(`no connection within ${timeoutMs} ms`);
      sent.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    timer.unref();
    const stop = (): void => clearTimeout(timer);
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stop).once('close', stop);
  });
}

interface Exchange {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
  /** Called when the body has ended, or nothing more is expected of it. */
  readonly stop: () => void;
  readonly discardTimeoutMs: number;
}

class HttpResponse implements PostResponse {
  readonly #exchange: Exchange;
  readonly #body: Readable;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isOver = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#body = decoded(exchange.response);
    this.#body
      .on('data', this.#onData)
      .once('end', () => this.#end())
      .on('error', (error) => this.#end(error))
      .once('close', () => this.#end(new Error('the connection was closed')));
  }

  get status(): number {
    return this.#exchange.response.statusCode ?? 0;
  }

  header(name: string): string | undefined {
    const value = this.#exchange.response.headers[name];
    return typeof value === 'string' ? value : value?.join(', ');
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        this.#bytes -= piece.length;
        if (this.#bytes < MAX_AHEAD_BYTES && this.#body.isPaused()) this.#body.resume();
        return piece;
      }
      if (this.#error !== undefined) throw this.#error;
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#pieces = [];
    if (this.#isOver) return;
    if (this.#exchange.response.complete) this.discard();
    else this.#exchange.request.destroy();
  }

  discard(): void {
    this.#pieces = [];
    if (this.#isOver) return;
    const { request: sent, response, stop, discardTimeoutMs } = this.#exchange;
    if (this.#body !== response) {
      sent.destroy();
      return;
    }
    stop();
    let left = MAX_DISCARDED_BYTES;
    const timer = setTimeout(() => sent.destroy(), discardTimeoutMs);
    timer.unref();
    response
      .off('data', this.#onData)
      .on('data', (piece: Buffer) => {
        left -= piece.length;
        if (left < 0) sent.destroy();
      })
      .once('close', () => clearTimeout(timer))
      .resume();
  }

  readonly #onData = (piece: Buffer): void => {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes >= MAX_AHEAD_BYTES) this.#body.pause();
    this.#wake?.();
  };

  #end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#exchange.stop();
    this.#wake?.();
  }
}

/** Returns the body without its compression, which some servers use without being asked. */
function decoded(response: IncomingMessage): Readable {
  const coding = response.headers['content-encoding'] ?? 'identity';
  if (coding === 'identity') return response;
  const zlib = process.getBuiltinModule('node:zlib');
  if (coding === 'gzip') return piped(response, zlib.createGunzip());
  if (coding === 'deflate') return piped(response, zlib.createInflate());
  if (coding === 'br') return piped(response, zlib.createBrotliDecompress());
  return response;
}

function piped(response: IncomingMessage, decoder: Duplex): Readable {
  // An error destroys both, and the reader of the decoder gets it.
  return process.getBuiltinModule('node:stream').pipeline(response, decoder, () => undefined);
}
