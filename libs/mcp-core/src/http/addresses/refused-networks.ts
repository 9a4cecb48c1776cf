import type { BlockList } from 'node:net';

/**
 * Networks that are not reachable over the internet, or that belong to one machine or provider.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Metadata and agents of Azure.
  '168.63.129.16/32',
];

/** Global unicast addresses, the only IPv6 addresses of the internet. */
const GLOBAL_IPV6 = '2000::/3';

/**
 * Global addresses that are reserved, or that contain an IPv4 address (Teredo, 6to4).
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const REFUSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

interface DefaultNetworks {
  readonly loopback: BlockList;
  readonly refused: BlockList;
  readonly global: BlockList;
}

let defaults: DefaultNetworks | undefined;

/** Returns the lists that the first use creates, because that takes milliseconds of a start. */
function defaultNetworks(): DefaultNetworks {
  defaults ??= {
    loopback: networks(['127.0.0.0/8', '::1']),
    refused: networks([...REFUSED_IPV4, ...REFUSED_IPV6]),
    global: networks([GLOBAL_IPV6]),
  };
  return defaults;
}

/** Whether the guard refuses an address by default. Anything that is not an address is refused. */
export function isRefusedByDefault(address: string): boolean {
  const { text, family } = normalized(address);
  if (family === undefined) return true;
  const { refused, global } = defaultNetworks();
  return refused.check(text, family) || (family === 'ipv6' && !global.check(text, family));
}

export function isLoopbackAddress(address: string): boolean {
  return contains(defaultNetworks().loopback, address);
}

/** Returns 4 or 6 for an IP address, and 0 for any other text. */
export function ipVersionOf(text: string): number {
  return process.getBuiltinModule('node:net').isIP(text);
}

/** Whether one of the networks contains an address. */
export function contains(list: BlockList, address: string): boolean {
  const { text, family } = normalized(address);
  return family !== undefined && list.check(text, family);
}

/** Returns a list of networks in CIDR notation. A bare address is a network of its own. */
export function networks(texts: readonly string[]): BlockList {
  const list = new (process.getBuiltinModule('node:net').BlockList)();
  for (const text of texts) {
    const { address, prefix, family } = parseNetwork(text) ?? {};
    if (address === undefined || prefix === undefined)
      throw new Error(`${JSON.stringify(text)} is not a network such as 10.0.0.0/8 or fd00::/8`);
    list.addSubnet(address, prefix, family);
  }
  return list;
}

/** Parses a network in CIDR notation, or an address. Returns undefined if it is neither. */
export function parseNetwork(
  text: string,
):
  | { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' }
  | undefined {
  const [, address = '', digits] = /^([^/%]+)(?:\/(\d{1,3}))?$/u.exec(text) ?? [];
  const version = ipVersionOf(address);
  if (version === 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  const prefix = digits === undefined ? longest : Number(digits);
  return prefix > longest
    ? undefined
    : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** Returns an address without its zone; an IPv4 address in an IPv6 address as IPv4. */
function normalized(address: string): {
  readonly text: string;
  readonly family: 'ipv4' | 'ipv6' | undefined;
} {
  const text = address.replace(/%.*$/u, '');
  const version = ipVersionOf(text);
  if (version === 4) return { text, family: 'ipv4' };
  if (version === 0) return { text, family: undefined };
  const mapped = mappedIpv4(text);
  return mapped === undefined ? { text, family: 'ipv6' } : { text: mapped, family: 'ipv4' };
}

/** Returns the IPv4 address in an IPv4-mapped address (`::ffff:0:0/96`), however it is written. */
function mappedIpv4(address: string): string | undefined {
  // The parser of URLs writes every form as hexadecimal groups.
  const host = new URL(`http://[${address}]`).hostname;
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/u.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const bits = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return bits.flatMap((group) => [group >> 8, group & 255]).join('.');
}
