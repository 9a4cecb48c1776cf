import type { IncomingMessage } from 'node:http';
import {
  AddressGuard,
  pinnedLookup,
  RefusedUrlError,
  type HostAddress,
} from '../http/addresses/address-guard.ts';
import { isLoopback } from '../http/headers/loopback.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { AuthorizationNetwork } from './options.ts';

/** Members of a request that `GuardedFetch` supports. */
export interface FetchInit {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: string | URLSearchParams | null | undefined;
}

const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1'];
const DEFAULT_TIMEOUT_MS = 15_000;
/** Longest accepted body in bytes. */
const MAX_BODY_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;

/**
 * The requests to metadata and authorization servers: `https:` only, except at loopback addresses;
 * addresses that are not public are refused unless allowed; the connection goes to an address that
 * was checked; time and size are limited. Redirects of GET are followed, each after the same checks.
 * @see https://modelcontextprotocol.io/docs/2026-07-28/tutorials/security/security_best_practices#server-side-request-forgery-ssrf
 */
export class GuardedFetch {
  readonly #guard: AddressGuard;
  readonly #timeoutMs: number;

  constructor(server: string, { allowedNetworks, timeoutMs }: AuthorizationNetwork = {}) {
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#guard = new AddressGuard({
      allowedNetworks:
        allowedNetworks ?? (isLoopback(new URL(server).hostname) ? LOOPBACK_NETWORKS : []),
      hint: 'add its network to allowedNetworks of the authorization to allow it',
    });
  }

  /**
   * Sends a request, in the form of `fetch`.
   * @throws AuthorizationError `address-refused`, `unreachable`
   */
  async fetch(url: string, init: FetchInit = {}): Promise<Response> {
    let target = url;
    for (let redirects = 0; ; redirects += 1) {
      const { response, body } = await this.#send(target, init);
      const { statusCode: status = 0, headers } = response;
      const isRedirect = status >= 301 && status <= 308 && headers.location !== undefined;
      const next = isRedirect ? URL.parse(headers.location ?? '', target) : null;
      if (next !== null && (init.method ?? 'GET') === 'GET' && redirects < MAX_REDIRECTS) {
        target = next.href;
        continue;
      }
      const fields = Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const hasBody = status !== 204 && status !== 205 && status !== 304;
      return new Response(hasBody ? body : null, { status, headers: fields });
    }
  }

  /** Returns the JSON object at a URL, or `undefined` when the server has none (4xx). */
  async json(url: string): Promise<{ readonly [name: string]: unknown } | undefined> {
    const response = await this.fetch(url, { headers: { accept: 'application/json' } });
    if (response.status >= 400 && response.status < 500) return undefined;
    let value: unknown;
    try {
      value = response.status === 200 ? await response.json() : undefined;
    } catch {
      value = undefined;
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as { readonly [name: string]: unknown };
    throw new AuthorizationError(
      'discovery-failed',
      `${nameOf(url)} answered ${response.status} without a JSON object.`,
    );
  }

  /**
   * Returns the first JSON object at the URLs, or `undefined` when the server has none. Servers answer
   * unknown paths with a page, too, so a response without a JSON object counts only when no other URL
   * has one.
   * @throws AuthorizationError `address-refused`, `unreachable`, `discovery-failed`
   */
  async firstJson(
    urls: readonly string[],
  ): Promise<{ readonly [name: string]: unknown } | undefined> {
    let failure: AuthorizationError | undefined;
    for (const url of urls) {
      const found = await this.json(url).catch((error: unknown) => {
        if (!(error instanceof AuthorizationError) || error.code !== 'discovery-failed')
          throw error;
        failure ??= error;
        return undefined;
      });
      if (found !== undefined) return found;
    }
    if (failure !== undefined) throw failure;
    return undefined;
  }

  async #send(
    url: string,
    init: FetchInit,
  ): Promise<{ readonly response: IncomingMessage; readonly body: Buffer }> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const addresses = await Promise.race([this.#guard.addressesOf(url), aborted(signal)]);
      return await send(url, addresses, { ...init, signal });
    } catch (error) {
      if (error instanceof RefusedUrlError)
        throw new AuthorizationError(
          'address-refused',
          `${nameOf(url)} was not requested: ${error.message}.`,
        );
      const { code } = error as { readonly code?: unknown };
      const reason = signal.aborted
        ? `no response within ${this.#timeoutMs} ms`
        : typeof code === 'string'
          ? code
          : (error as Error).message;
      throw new AuthorizationError(
        'unreachable',
        `The request to ${nameOf(url)} failed: ${reason}.`,
      );
    }
  }
}

/** Rejects when a signal aborts: a name resolver has no time limit of its own. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  promise.catch(() => undefined);
  return promise;
}

function send(
  url: string,
  addresses: readonly HostAddress[],
  { method = 'GET', headers, body, signal }: FetchInit & { readonly signal: AbortSignal },
): Promise<{ readonly response: IncomingMessage; readonly body: Buffer }> {
  const target = new URL(url);
  const http = process.getBuiltinModule(target.protocol === 'https:' ? 'node:https' : 'node:http');
  const text = body === undefined || body === null ? '' : String(body);
  const fields = Object.fromEntries(new Headers(headers));
  return new Promise((resolve, reject) => {
    const request = http.request(target, {
      agent: false,
      lookup: pinnedLookup(addresses),
      method,
      headers: text === '' ? fields : { ...fields, 'content-length': Buffer.byteLength(text) },
      signal,
    });
    request.on('error', reject).on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > MAX_BODY_BYTES)
          request.destroy(new Error(`the response has more than ${MAX_BODY_BYTES} bytes`));
      });
      response.on('error', reject).on('end', () => {
        if (response.complete) resolve({ response, body: Buffer.concat(chunks) });
      });
    });
    request.end(text);
  });
}

/** Returns a URL without its query, which could contain secrets. */
function nameOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'An address' : `${parsed.origin}${parsed.pathname}`;
}
