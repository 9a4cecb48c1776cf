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

  /** @throws Error for a host or an origin that no request can have */
  constructor({ allowedHosts, allowedOrigins }: OriginRules) {
    if (allowedHosts !== 'any') allowedHosts.forEach(assertHost);
    if (allowedOrigins !== 'any') allowedOrigins.forEach(assertOrigin);
    this.#hosts =
      allowedHosts === 'any' ? undefined : new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins =
      allowedOrigins === 'any'
        ? undefined
        : new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  }

  /** Whether the request was sent to an allowed host. */
  allowsHost(headers: HttpHeaders): boolean {
    if (this.#hosts === undefined) return true;
    const host = headerOf(headers, 'host') ?? headerOf(headers, ':authority');
    if (host === undefined) return false;
    if (host === this.#lastHost) return true;
    if (!this.#hosts.has(hostNameOf(host))) return false;
    this.#lastHost = host;
    return true;
  }

  /** Whether the request has no origin or an allowed one. */
  allowsOrigin({ origin }: HttpHeaders): boolean {
    return (
      origin === undefined ||
      this.#origins === undefined ||
      this.#isAllowedOrigin(String(origin).trim().toLowerCase())
    );
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

/** @throws Error for a text that is not a host name, or an address as it stands in a URL */
function assertHost(host: string): void {
  if (!/^(?:\[[\da-f:.]+\]|[^\s:/@?#[\]]+)$/iu.test(host))
    throw new Error(
      `access.allowedHosts: ${JSON.stringify(host)} never equals the host name of a request. Pass a name without scheme, port and path, such as "mcp.example" or "[::1]"`,
    );
}

/**
 * @throws Error for a text that no browser sends as `Origin`
 * @see https://html.spec.whatwg.org/multipage/browsers.html#ascii-serialisation-of-an-origin
 */
function assertOrigin(origin: string): void {
  const sent = originSentFor(origin);
  if (sent === origin.toLowerCase()) return;
  const advice =
    sent === undefined
      ? 'Pass a scheme and a host, such as "https://app.example", or "any" in place of the list'
      : `Pass ${JSON.stringify(sent)}`;
  throw new Error(
    `access.allowedOrigins: ${JSON.stringify(origin)} never equals the Origin of a request. ${advice}`,
  );
}

/** Returns the `Origin` of pages at an address, or `undefined` when the text is no address. */
function originSentFor(address: string): string | undefined {
  if (address === 'null') return address;
  if (/^https?:\/\//iu.test(address)) return URL.parse(address)?.origin;
  // Browsers send the origins of other schemes, such as those of extensions, in the same form.
  return /^[a-z][\w+.-]*:\/\/[^\s/?#]+/iu.exec(address)?.[0].toLowerCase();
}
