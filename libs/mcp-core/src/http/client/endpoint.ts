import type { Agent, ClientRequest, IncomingMessage, request } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { LocalError } from '../../protocol/errors.ts';
import type { HttpAuthorization } from './authorization.ts';
import { type ExtraHeaders, type HeaderProvider, isPromise, RESERVED_HEADERS } from './headers.ts';
import { credentialsIn, hostHeaders, type HostHeaders } from './host-headers.ts';
import { parseServerUrl } from './parse-server-url.ts';
import { safeHeaders } from './read-http-error.ts';

/** Options of the connections to a server over HTTP. */
export interface EndpointOptions {
  /** Absolute URL, `http:` or `https:`, without credentials. */
  readonly url: string;
  readonly headers?: ExtraHeaders | HeaderProvider | undefined;
  /**
   * Called for every 401 and 403, except for the end of a session. `true` sends the message again
   * with headers from `headers`, at most three times. Calls may overlap. A rejection becomes the
   * cause of the message's error.
   */
  readonly onUnauthorized?:
    | ((response: {
        readonly status: number;
        readonly headers: { readonly [name: string]: string };
      }) => Promise<boolean>)
    | undefined;
  /**
   * Authorization at the server, for example by OAuth. Its headers replace equal ones of `headers`.
   * Excludes `onUnauthorized`.
   */
  readonly authorization?: HttpAuthorization | undefined;
  /**
   * Resolves the host name of the URL for each connection. A failure fails the request before anything
   * is sent. Not called for an IP address. Default: the resolver of the operating system.
   */
  readonly lookup?: LookupFunction | undefined;
}

/** An HTTP request and the callbacks for its response. */
export interface Call {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Path and query. Default: those of the endpoint. */
  readonly path?: string;
  /** Alternating names and values, without the headers of the endpoint. */
  readonly headers: readonly string[];
  readonly body?: string;
  /** Called before each attempt with a digest of its credentials, unless all attempts have the same. */
  sending?(credentials: string): void;
  /** Called once, unless `failed` is called; never after `abort`. */
  responded(response: IncomingMessage): void;
  /**
   * Called once, unless `responded` is called; never after `abort`. `isSent`: part of the request
   * may have reached the server.
   */
  failed(error: Error, isSent: boolean): void;
}

/** Aborts a call; closes its connection unless the response is complete. */
export interface CallHandle {
  abort(): void;
}

/**
 * Milliseconds after which an idle connection is not reused: many servers silently close theirs
 * after 5 seconds.
 */
const IDLE_CONNECTION_MS = 4000;
/** Maximum number of redirects, and of retries after 401 and 403, of one call. */
const MAX_ATTEMPTS = 3;

/**
 * The connections to one origin. Follows redirects (307, 308) within the origin only, so that no
 * header leaves it.
 */
export class ClientEndpoint {
  readonly #options: EndpointOptions;
  readonly #onResponse: ((response: IncomingMessage) => void) | undefined;
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #request: typeof request;
  readonly #target: {
    readonly host: string;
    readonly port: string | undefined;
    readonly hostHeader: string;
  };
  readonly #staticHeaders: readonly string[] | undefined;
  /** Sockets over which data may have been sent. */
  readonly #connected = new WeakSet<Duplex>();
  #sentSecrets: readonly string[] = [];
  #isDestroyed = false;

  /**
   * `onResponse` is called with each response, right after its call.
   * @throws LocalError `invalid-argument`
   */
  constructor(options: EndpointOptions, onResponse?: (response: IncomingMessage) => void) {
    this.#options = options;
    this.#onResponse = onResponse;
    this.#url = parseServerUrl(options.url);
    const isTls = this.#url.protocol === 'https:';
    // An import statement reads every export of node:http, and one of them loads undici: 20 ms and
    // 10 MB.
    const http = process.getBuiltinModule(isTls ? 'node:https' : 'node:http');
    this.#request = http.request;
    const { lookup } = options;
    this.#agent = new http.Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS, lookup });
    this.#watchConnections(isTls ? 'secureConnect' : 'connect');
    const host = this.#url.hostname.replace(/^\[(.*)\]$/, '$1');
    this.#target = {
      host,
      port: this.#url.port === '' ? undefined : this.#url.port,
      hostHeader: this.#url.host,
    };
    if (options.authorization !== undefined && options.onUnauthorized !== undefined)
      throw new LocalError(
        'invalid-argument',
        'A transport has either authorization or onUnauthorized; remove one of them.',
      );
    if (typeof options.headers !== 'function' && options.authorization === undefined)
      this.#staticHeaders = this.#flatten(options.headers ?? {});
  }

  /** Name of the server for error messages; paths and queries may hold secrets. */
  get origin(): string {
    return this.#url.origin;
  }

  /** Header values of the host in the last call, which errors must not repeat. */
  get sentSecrets(): readonly string[] {
    return this.#sentSecrets;
  }

  /** Returns the path and query of a URL reference, or `undefined` when it leaves the origin. */
  pathWithinOrigin(reference: string): string | undefined {
    const url = URL.parse(reference, this.#url.href);
    return url?.origin === this.#url.origin ? `${url.pathname}${url.search}` : undefined;
  }

  /** Returns a digest of the credentials that the next POST would have; empty if they cannot change. */
  credentials(): string | Promise<string> {
    if (this.#staticHeaders !== undefined) return '';
    const { href } = this.#url;
    const found = hostHeaders(this.#options, { method: 'POST', url: href, server: href });
    const read = ({ all }: HostHeaders): string => credentialsIn(all);
    return isPromise(found) ? found.then(read) : read(found);
  }

  /** Sends synchronously, unless the headers are asynchronous. */
  send(call: Call): CallHandle {
    const attempt: Attempt = {
      call,
      count: 0,
      path: call.path ?? `${this.#url.pathname}${this.#url.search}`,
      isAborted: false,
      request: undefined,
      authorization: {},
    };
    this.#send(attempt);
    return {
      abort: () => {
        attempt.isAborted = true;
        attempt.request?.destroy();
      },
    };
  }

  /** Ends all connections, including connections in use; later calls fail. */
  destroy(): void {
    this.#isDestroyed = true;
    this.#agent.destroy();
  }

  #send(attempt: Attempt): void {
    const dispatch = (headers: readonly string[]): void => {
      if (!attempt.isAborted) this.#dispatch(attempt, headers);
    };
    const fail = (cause: unknown): void => {
      if (attempt.isAborted) return;
      const message = 'The headers of a message could not be obtained.';
      attempt.call.failed(new LocalError('invalid-argument', message, { cause }), false);
    };
    let headers: readonly string[] | Promise<readonly string[]>;
    try {
      headers = this.#staticHeaders ?? this.#askForHeaders(attempt);
    } catch (error) {
      fail(error);
      return;
    }
    if (isPromise(headers)) headers.then(dispatch, fail);
    else dispatch(headers);
  }

  /** Returns the headers of the host and of the authorization; at once if neither is a promise. */
  #askForHeaders(attempt: Attempt): readonly string[] | Promise<readonly string[]> {
    const { call, path } = attempt;
    const { method, body } = call;
    const read = ({ all, authorized }: HostHeaders): readonly string[] => {
      attempt.authorization = authorized;
      call.sending?.(credentialsIn(all));
      return this.#flatten(all);
    };
    const request = { method, url: `${this.#url.origin}${path}`, body, server: this.#url.href };
    const found = hostHeaders(this.#options, request);
    return isPromise(found) ? found.then(read) : read(found);
  }

  #dispatch(attempt: Attempt, ownHeaders: readonly string[]): void {
    const { call } = attempt;
    if (this.#isDestroyed) {
      call.failed(
        new LocalError('connection-closed', `The connection to ${this.origin} is closed.`),
        false,
      );
      return;
    }
    const { host, port, hostHeader } = this.#target;
    const headers = ['Host', hostHeader, ...call.headers, ...ownHeaders];
    if (call.body !== undefined)
      headers.push('Content-Length', String(Buffer.byteLength(call.body)));
    let request: ClientRequest;
    try {
      // A flat array is sent without the bookkeeping of single headers: a fifth less CPU per call.
      request = this.#request({
        agent: this.#agent,
        host,
        port,
        path: attempt.path,
        method: call.method,
        headers,
      });
    } catch (error) {
      call.failed(
        new LocalError(
          'invalid-argument',
          'A header of the message has characters that headers cannot carry.',
          { cause: error },
        ),
        false,
      );
      return;
    }
    attempt.request = request;
    let hasEnded = false;
    request.on('response', (response) => {
      hasEnded = true;
      if (attempt.isAborted) response.destroy();
      else this.#responded(attempt, response);
    });
    request.on('error', (error) => {
      if (hasEnded || attempt.isAborted) return;
      hasEnded = true;
      const isSent = request.socket !== null && this.#connected.has(request.socket);
      call.failed(this.#lost(error, isSent), isSent);
    });
    request.end(call.body);
  }

  #responded(attempt: Attempt, response: IncomingMessage): void {
    const { statusCode: status = 0 } = response;
    const nonce = response.headers['dpop-nonce'];
    if (typeof nonce === 'string')
      this.#options.authorization?.dpopNonceReceived?.(this.#url.href, nonce);
    if (status < 300 || attempt.count >= MAX_ATTEMPTS) this.#give(attempt.call, response);
    else if (status === 307 || status === 308) this.#redirected(attempt, response);
    else if (
      (status === 401 || status === 403) &&
      attempt.call.method !== 'DELETE' &&
      (this.#options.onUnauthorized ?? this.#options.authorization) !== undefined
    )
      void this.#unauthorized(attempt, response);
    else this.#give(attempt.call, response);
  }

  #give(call: Call, response: IncomingMessage): void {
    call.responded(response);
    this.#onResponse?.(response);
  }

  #redirected(attempt: Attempt, response: IncomingMessage): void {
    const { location } = response.headers;
    const path = location === undefined ? undefined : this.pathWithinOrigin(location);
    if (path === undefined) {
      this.#give(attempt.call, response);
      return;
    }
    response.resume();
    attempt.count += 1;
    attempt.path = path;
    this.#send(attempt);
  }

  async #unauthorized(attempt: Attempt, response: IncomingMessage): Promise<void> {
    const { call } = attempt;
    // The body waits until it is read; its connection may end meanwhile.
    const onError = (): void => undefined;
    response.on('error', onError);
    let isAgain: boolean;
    try {
      isAgain = (await this.#isAnswered(attempt, response)) === true;
    } catch (error) {
      response.destroy();
      if (!attempt.isAborted)
        call.failed(
          new LocalError(
            'connect-failed',
            `Authorization with ${this.origin} failed${reasonOf(error)}`,
            {
              cause: error,
            },
          ),
          true,
        );
      return;
    }
    if (attempt.isAborted) {
      response.destroy();
    } else if (isAgain) {
      response.resume();
      attempt.count += 1;
      this.#send(attempt);
    } else {
      this.#give(call, response);
    }
  }

  async #isAnswered(
    { call, count, path, authorization: sent }: Attempt,
    response: IncomingMessage,
  ): Promise<boolean | undefined> {
    const { onUnauthorized, authorization } = this.#options;
    const status = response.statusCode ?? 0;
    const headers = safeHeaders(response);
    return (
      onUnauthorized?.({ status, headers }) ??
      authorization?.refused({
        server: this.#url.href,
        method: call.method,
        url: `${this.#url.origin}${path}`,
        status,
        responseHeaders: headers,
        sent,
        attempt: count,
      })
    );
  }

  #flatten(headers: ExtraHeaders): readonly string[] {
    const flat: string[] = [];
    for (const [name, value] of Object.entries(headers)) {
      if (RESERVED_HEADERS.has(name.toLowerCase()))
        throw new LocalError(
          'invalid-argument',
          `The transport sets the header ${name} itself; remove it.`,
        );
      flat.push(name, value);
    }
    this.#sentSecrets = flat.filter((_, index) => index % 2 === 1);
    return flat;
  }

  #watchConnections(readyEvent: 'connect' | 'secureConnect'): void {
    const create = this.#agent.createConnection.bind(this.#agent);
    this.#agent.createConnection = (options, callback) => {
      const socket = create(options, callback);
      socket?.once(readyEvent, () => this.#connected.add(socket));
      return socket;
    };
  }

  #lost(cause: Error, isSent: boolean): LocalError {
    const code = 'code' in cause ? ` (${String(cause.code)})` : '';
    return new LocalError('connection-lost', `The connection to ${this.origin} failed${code}`, {
      sent: isSent,
      cause,
    });
  }
}

interface Attempt {
  readonly call: Call;
  count: number;
  path: string;
  isAborted: boolean;
  request: ClientRequest | undefined;
  /** Headers of the authorization that were sent. */
  authorization: ExtraHeaders;
}

/** Returns the end of a sentence. The messages of other errors may contain secrets. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.name === 'AuthorizationError' ? `: ${error.message}` : '.';
}
