import { lookup } from 'node:dns/promises';
import { isIP, type BlockList } from 'node:net';
import { contains, isLoopbackAddress, isRefusedByDefault, networks } from './refused-networks.ts';

/** An address of a host. */
export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host name to all of its addresses. */
export type Resolve = (host: string) => Promise<readonly HostAddress[]>;

/** A URL that must not be requested. The message names no address that a name was resolved to. */
export class RefusedUrlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RefusedUrlError';
  }
}

export interface AddressGuardOptions {
  /** Networks in CIDR notation that are allowed although they are not public. */
  readonly allowedNetworks?: readonly string[] | undefined;
  /** Default: the resolver of the operating system. */
  readonly resolve?: Resolve | undefined;
}

/**
 * Decides which URLs of clients the service requests: `https:` at public addresses, and addresses in
 * the allowed networks, of which loopback addresses may also be requested by `http:`.
 */
export class AddressGuard {
  readonly #allowed: BlockList;
  readonly #resolve: Resolve;

  constructor({ allowedNetworks = [], resolve = systemResolve }: AddressGuardOptions = {}) {
    this.#allowed = networks(allowedNetworks);
    this.#resolve = resolve;
  }

  /**
   * Returns the addresses of a URL, each of which was checked. A connection must go to one of them and
   * must not resolve the name again.
   * @throws RefusedUrlError; an error of the resolver
   */
  async addressesOf(url: string): Promise<readonly HostAddress[]> {
    const { protocol, hostname, username, password } = parsed(url);
    if (protocol !== 'https:' && protocol !== 'http:')
      throw new RefusedUrlError(`the URL begins with ${protocol}, and only https: is allowed`);
    if (username !== '' || password !== '')
      throw new RefusedUrlError('the URL contains a user name or password, which is not supported');
    const host = hostname.replace(/^\[(.*)\]$/u, '$1');
    const version = isIP(host);
    const addresses: readonly HostAddress[] =
      version === 0
        ? await this.#resolve(host)
        : [{ address: host, family: version === 4 ? 4 : 6 }];
    if (addresses.length === 0) throw new RefusedUrlError(`the host ${host} has no address`);
    for (const { address } of addresses) this.#check(address, host);
    if (protocol === 'http:' && !addresses.every(({ address }) => isLoopbackAddress(address)))
      throw new RefusedUrlError(
        'the URL begins with http:, which is allowed for loopback addresses only; use https:',
      );
    return addresses;
  }

  #check(address: string, host: string): void {
    if (contains(this.#allowed, address) || !isRefusedByDefault(address)) return;
    throw new RefusedUrlError(
      `the host ${host} has an address that is not public; add its network to webhooks.allowed_networks of the configuration to allow it`,
    );
  }
}

function parsed(url: string): URL {
  const result = URL.parse(url);
  if (result === null) throw new RefusedUrlError('the URL cannot be parsed');
  return result;
}

async function systemResolve(host: string): Promise<readonly HostAddress[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
