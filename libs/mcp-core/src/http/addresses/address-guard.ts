import type { BlockList, LookupFunction } from 'node:net';
import {
  contains,
  ipVersionOf,
  isLoopbackAddress,
  isRefusedByDefault,
  networks,
} from './refused-networks.ts';

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

/** Options of an `AddressGuard`. */
export interface AddressGuardOptions {
  /** Networks in CIDR notation that are allowed although they are not public. */
  readonly allowedNetworks?: readonly string[] | undefined;
  /**
   * Advice in errors about addresses that are not public, without a full stop. Default: to allow the
   * network.
   */
  readonly hint?: string | undefined;
  /** Default: the resolver of the operating system. */
  readonly resolve?: Resolve | undefined;
}

/**
 * Decides which URLs of others a program requests: `https:` at public addresses, and addresses in the
 * allowed networks, of which loopback addresses may also be requested by `http:`.
 */
export class AddressGuard {
  readonly #allowed: BlockList;
  readonly #hint: string;
  readonly #resolve: Resolve;

  /** @throws Error when a network cannot be parsed */
  constructor({
    allowedNetworks = [],
    hint = 'allow its network if the requests are intended',
    resolve = systemResolve,
  }: AddressGuardOptions = {}) {
    this.#allowed = networks(allowedNetworks);
    this.#hint = hint;
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
    const version = ipVersionOf(host);
    const addresses: readonly HostAddress[] =
      version === 0
        ? await this.#resolve(host)
        : [{ address: host, family: version === 4 ? 4 : 6 }];
    if (addresses.length === 0) throw new RefusedUrlError(`the host ${host} has no address`);
    for (const { address } of addresses) this.checkAddress(address, host);
    if (protocol === 'http:' && !addresses.every(({ address }) => isLoopbackAddress(address)))
      throw new RefusedUrlError(
        'the URL begins with http:, which is allowed for loopback addresses only; use https:',
      );
    return addresses;
  }

  /**
   * Checks one address, of a URL with the host `host`.
   * @throws RefusedUrlError
   */
  checkAddress(address: string, host: string): void {
    if (contains(this.#allowed, address) || !isRefusedByDefault(address)) return;
    throw new RefusedUrlError(`the host ${host} has an address that is not public; ${this.#hint}`);
  }
}

/**
 * Returns a `lookup` for `node:http` and `node:net` that answers with the checked addresses, whatever
 * the name is.
 */
export function pinnedLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

function parsed(url: string): URL {
  const result = URL.parse(url);
  if (result === null) throw new RefusedUrlError('the URL cannot be parsed');
  return result;
}

async function systemResolve(host: string): Promise<readonly HostAddress[]> {
  const { lookup } = process.getBuiltinModule('node:dns/promises');
  const found = await lookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
