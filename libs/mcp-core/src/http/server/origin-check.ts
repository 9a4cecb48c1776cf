import { headerOf, type HttpHeaders } from '../headers/http-headers.ts';

/** The names of this machine to itself. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export interface OriginRules {
  /** Host names without port; compared without case. */
  readonly allowedHosts: readonly string[] | 'any';
  /** Origins as browsers send them, such as `https://app.example`; beside them, an origin whose host is a loopback name is allowed where that host is. */
  readonly allowedOrigins: readonly string[] | 'any';
}

/**
 * Refuses what a web page can send to a server that it reaches under a name of its own.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security--endpoint
 */
export class OriginCheck {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string> | undefined;
  /** The last value that was allowed: most clients send the same one each time. */
  #lastHost: string | undefined;

  constructor({ allowedHosts, allowedOrigins }: OriginRules) {
    this.#hosts =
      allowedHosts === 'any' ? undefined : new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins =
      allowedOrigins === 'any'
        ? undefined
        : new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  }

  /** What is wrong with the request; `undefined` when it may pass. */
  refuse(headers: HttpHeaders): string | undefined {
    const host = headerOf(headers, 'host') ?? headerOf(headers, ':authority');
    if (this.#hosts !== undefined && (host === undefined || host !== this.#lastHost)) {
      if (host === undefined || !this.#hosts.has(hostNameOf(host)))
        return 'Forbidden: this Host is not allowed';
      this.#lastHost = host;
    }
    const { origin } = headers;
    if (
      origin === undefined ||
      this.#origins === undefined ||
      this.#isAllowedOrigin(String(origin).trim().toLowerCase())
    )
      return undefined;
    return 'Forbidden: this Origin is not allowed';
  }

  #isAllowedOrigin(origin: string): boolean {
    if (this.#origins?.has(origin) === true) return true;
    const host = hostNameOf(/^https?:\/\/([^/]+)$/u.exec(origin)?.[1] ?? '');
    return LOOPBACK_HOSTS.includes(host) && this.#hosts?.has(host) === true;
  }
}

/** Without the port; an IPv6 address keeps its brackets. */
function hostNameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/u, '');
}
