import { headerOf, type HttpHeaders } from '../headers/http-headers.ts';
import { LOOPBACK_HOSTS } from '../headers/loopback.ts';

export interface OriginRules {
  /** Host names without port, compared case-insensitively. */
  readonly allowedHosts: readonly string[] | 'any';
  /**
   * Origins as browsers send them, such as `https://app.example`. A loopback origin is also allowed
   * on an allowed loopback host.
   */
  readonly allowedOrigins: readonly string[] | 'any';
}

/**
 * Protects against DNS rebinding: refuses requests with an unknown host or origin.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security--endpoint
 */
export class OriginCheck {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string> | undefined;
  /** The last accepted value: most clients send the same value each time. */
  #lastHost: string | undefined;

  constructor({ allowedHosts, allowedOrigins }: OriginRules) {
    this.#hosts =
      allowedHosts === 'any' ? undefined : new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins =
      allowedOrigins === 'any'
        ? undefined
        : new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  }

  /** Describes why the request is refused; `undefined` when it is accepted. */
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

/** Returns the host name without the port; an IPv6 address keeps its brackets. */
function hostNameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/u, '');
}
