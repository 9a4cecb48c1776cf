import { headerOf, type HttpHeaders } from '../headers/http-headers.ts';
import type { HttpExchange } from './http-exchange.ts';

const ALLOWED_METHODS = 'GET, POST, DELETE';
/** Request headers of all revisions that a browser does not send on its own. */
const ALLOWED_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'DPoP',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
];
/** The names of mirrored arguments depend on the tool. */
const PARAM_HEADER = /^mcp-param-[\w!#$%&'*+.^`|~-]+$/iu;
const EXPOSED_HEADERS = 'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After';
/** Two hours, the most that common browsers accept. */
const MAX_AGE_SECONDS = 7200;

/**
 * Lets web pages of the allowed origins read responses. Credentials of the browser are never
 * allowed: clients send their token in `Authorization`.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export class Cors {
  readonly #origins: ReadonlySet<string> | 'any';

  constructor(origins: readonly string[] | 'any') {
    this.#origins =
      origins === 'any' ? 'any' : new Set(origins.map((origin) => origin.toLowerCase()));
  }

  /** Adds the fields for the origin of the request to its response. */
  addFields(exchange: HttpExchange): void {
    const origin = this.#allowedOrigin(exchange.headers);
    exchange.addFields([
      'vary',
      'Origin',
      ...(origin === undefined
        ? []
        : [
            'access-control-allow-origin',
            origin,
            'access-control-expose-headers',
            EXPOSED_HEADERS,
          ]),
    ]);
  }

  /** Responds to a preflight request of an allowed origin; returns false for any other request. */
  answerPreflight(exchange: HttpExchange): boolean {
    const { method, headers } = exchange;
    if (
      method !== 'OPTIONS' ||
      headerOf(headers, 'access-control-request-method') === undefined ||
      this.#allowedOrigin(headers) === undefined
    )
      return false;
    const requested = headerOf(headers, 'access-control-request-headers') ?? '';
    const params = requested
      .split(',')
      .map((name) => name.trim())
      .filter((name) => PARAM_HEADER.test(name));
    exchange.respond(
      204,
      [
        'access-control-allow-methods',
        ALLOWED_METHODS,
        'access-control-allow-headers',
        [...ALLOWED_HEADERS, ...params].join(', '),
        'access-control-max-age',
        String(MAX_AGE_SECONDS),
      ],
      '',
    );
    return true;
  }

  #allowedOrigin(headers: HttpHeaders): string | undefined {
    const origin = headerOf(headers, 'origin')?.trim();
    if (origin === undefined) return undefined;
    return this.#origins === 'any' || this.#origins.has(origin.toLowerCase()) ? origin : undefined;
  }
}
