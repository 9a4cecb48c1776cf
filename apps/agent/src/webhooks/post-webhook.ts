import type { ClientRequest, IncomingMessage } from 'node:http';
import {
  pinnedLookup,
  RefusedUrlError,
  type AddressGuard,
  type HostAddress,
} from '@signalbox/mcp-core/http/addresses';
import type { Clock } from '../ports/clock.ts';
import { messageOf } from '../text/error-text.ts';

/** Bytes of a response that are read; the content has no meaning. */
const MAX_RESPONSE_BYTES = 64 * 1024;

export interface WebhookRequest {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** Answer of an endpoint, or the reason why there was none. */
export type WebhookOutcome =
  | { readonly status: number; readonly retryAfterMs?: number }
  | { readonly status?: undefined; readonly error: string };

export interface PostOptions {
  readonly guard: Pick<AddressGuard, 'addressesOf'>;
  readonly clock: Clock;
  /** Milliseconds for the whole request, from the resolution of the name to the end of the response. */
  readonly timeoutMs: number;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

/**
 * Sends one request to an endpoint. The name is resolved once, its addresses are checked, and the
 * connection goes to one of them. Redirects are not followed, and the proxy of the environment is not
 * used.
 * @throws the reason of `signal` when it is aborted
 */
export async function postWebhook(
  request: WebhookRequest,
  { guard, clock, timeoutMs, signal }: PostOptions,
): Promise<WebhookOutcome> {
  const timeout = new AbortController();
  const cancelTimeout = clock.after(timeoutMs, () => timeout.abort());
  const ended = AbortSignal.any([timeout.signal, signal]);
  try {
    const addresses = await orAborted(guard.addressesOf(request.url), ended);
    return await send(request, addresses, ended);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.signal.aborted) return { error: `no response within ${timeoutMs} ms` };
    return { error: describe(error) };
  } finally {
    cancelTimeout();
  }
}

function send(
  { url, headers, body }: WebhookRequest,
  addresses: readonly HostAddress[],
  signal: AbortSignal,
): Promise<WebhookOutcome> {
  const target = new URL(url);
  const isSecure = target.protocol === 'https:';
  // An import statement reads every export of node:http, and one of them loads undici.
  const http = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = http.request(target, {
      // A connection of its own, so that none is reused after its name was resolved to other addresses.
      agent: false,
      lookup: pinnedLookup(addresses),
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      },
      signal,
    });
    let outcome: WebhookOutcome | undefined;
    // The status counts, also when the content is too long or breaks off.
    const end = (error: Error): void => {
      if (outcome === undefined) reject(error);
      else resolve(outcome);
    };
    sent.on('error', end).on('response', (response: IncomingMessage) => {
      outcome = { status: response.statusCode ?? 0, ...retryAfterOf(response) };
      let bytes = 0;
      response
        .on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > MAX_RESPONSE_BYTES) sent.destroy();
        })
        .on('error', end)
        .once('close', () => end(new Error('the connection was closed')));
    });
    sent.end(body);
  });
}

function retryAfterOf({ headers }: IncomingMessage): { readonly retryAfterMs?: number } {
  const seconds = headers['retry-after'];
  return seconds !== undefined && /^\d{1,9}$/u.test(seconds)
    ? { retryAfterMs: Number(seconds) * 1000 }
    : {};
}

/** Describes a failure without the addresses of the host. */
function describe(error: unknown): string {
  if (error instanceof RefusedUrlError) return error.message;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? `the request failed (${code})` : messageOf(error);
}

/** Rejects when the signal is aborted before the promise settles. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
