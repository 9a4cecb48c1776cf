import { BlockList, isIP, type LookupFunction } from 'node:net';
import { AddressGuard, RefusedUrlError, type Resolve } from '@signalbox/mcp-core/http/addresses';

/** Link-local addresses, and the metadata services of clouds at other ones. */
const METADATA_NETWORKS = [
  ['169.254.0.0', 16, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  ['fd00:ec2::254', 128, 'ipv6'],
  ['100.100.100.200', 32, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'],
] as const;

/**
 * Returns the resolver for the connections to a server of the configuration. Each connection goes to an
 * address that was checked. With `allowedNetworks` every address must be public or in one of them.
 * Without, the configuration decides about an address in the URL, and a name may have any addresses
 * but those of cloud metadata.
 * @throws RefusedUrlError for a refused address in the URL
 * @see https://modelcontextprotocol.io/docs/2026-07-28/tutorials/security/security_best_practices#server-side-request-forgery-ssrf
 */
export function serverLookup(
  url: string,
  allowedNetworks: readonly string[] | undefined,
  resolve: Resolve = systemResolve,
): LookupFunction {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/u, '$1');
  const version = isIP(host);
  const guard =
    allowedNetworks === undefined
      ? undefined
      : new AddressGuard({
          allowedNetworks,
          hint: 'add its network to remote_servers.allowed_networks of the configuration to allow it',
          resolve,
        });
  if (version !== 0) checkAddress(host, version, guard);
  const addressesOf = (name: string): ReturnType<Resolve> =>
    guard === undefined ? resolveAny(name, resolve) : guard.addressesOf(urlOf(name));
  return (name, options, callback) => void answer(addressesOf(name), options.all, callback);
}

/** Whether the host of a URL is a link-local address or that of a metadata service, not a name. */
export function isMetadataAddress(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/u, '$1');
  const version = isIP(host);
  return version !== 0 && metadataNetworks().check(host, version === 6 ? 'ipv6' : 'ipv4');
}

async function answer(
  found: ReturnType<Resolve>,
  isAll: boolean | undefined,
  callback: Parameters<LookupFunction>[2],
): Promise<void> {
  let addresses: Awaited<typeof found>;
  try {
    addresses = await found;
  } catch (error) {
    return callback(error as NodeJS.ErrnoException, '');
  }
  const [first] = addresses;
  if (isAll === true) callback(null, [...addresses]);
  else callback(null, first?.address ?? '', first?.family);
}

/** An address needs no resolution, so that its check is synchronous. */
function checkAddress(host: string, version: number, guard: AddressGuard | undefined): void {
  guard?.checkAddress(host, version === 6 ? `[${host}]` : host);
}

/** The scheme is the choice of the configuration; the guard judges the addresses. */
function urlOf(name: string): string {
  return `https://${name}/`;
}

async function resolveAny(name: string, resolve: Resolve): ReturnType<Resolve> {
  const addresses = await resolve(name);
  const list = metadataNetworks();
  for (const { address, family } of addresses)
    if (list.check(address, family === 6 ? 'ipv6' : 'ipv4'))
      throw new RefusedUrlError(
        `the host ${name} has a link-local address or that of a metadata service; write the address itself if it is intended, or add its network to remote_servers.allowed_networks`,
      );
  return addresses;
}

let blocked: BlockList | undefined;

function metadataNetworks(): BlockList {
  if (blocked === undefined) {
    blocked = new BlockList();
    for (const [address, prefix, family] of METADATA_NETWORKS)
      blocked.addSubnet(address, prefix, family);
  }
  return blocked;
}

async function systemResolve(host: string): ReturnType<Resolve> {
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
