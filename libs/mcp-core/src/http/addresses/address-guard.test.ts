import { expect, test } from 'vitest';
import { AddressGuard, type AddressGuardOptions } from './address-guard.ts';
import { networks } from './refused-networks.ts';

/** Returns the reason why a guard refuses a URL whose name has the addresses, or `allowed`. */
async function verdict(
  url: string,
  addresses: readonly string[] = [],
  options: AddressGuardOptions = {},
): Promise<string> {
  const guard = new AddressGuard({
    resolve: () =>
      Promise.resolve(
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    ...options,
  });
  return guard.addressesOf(url).then(
    () => 'allowed',
    (error: Error) => error.message,
  );
}

const NOT_PUBLIC = /^the host .+ has an address that is not public; /;

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.19.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
])('a name with the address %s is refused', async (address) => {
  expect(await verdict('https://example.com/', [address])).toMatch(NOT_PUBLIC);
  expect(await verdict('https://example.com/', ['8.8.8.8', address])).toMatch(NOT_PUBLIC);
});

test.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  'https://[fe80::1]/',
])('the address in %s is refused', async (url) => {
  expect(await verdict(url)).toMatch(NOT_PUBLIC);
});

test.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
  'the public address %s is allowed',
  async (address) => {
    expect(await verdict('https://example.com/', [address])).toBe('allowed');
    expect(await verdict('http://example.com/', [address])).toContain('use https:');
  },
);

test('networks of the configuration are allowed, and http: only for loopback addresses of them', async () => {
  const options = { allowedNetworks: ['127.0.0.1', '10.1.0.0/16', 'fd00::/8'] };
  const verdicts = [
    await verdict('https://example.com/', ['10.1.9.9'], options),
    await verdict('https://example.com/', ['fd00::1'], options),
    await verdict('http://example.com/', ['127.0.0.1'], options),
    await verdict('http://127.0.0.1:8080/', [], options),
    await verdict('https://example.com/', ['::ffff:10.1.0.1'], options),
  ];
  expect(new Set(verdicts)).toEqual(new Set(['allowed']));
  expect(await verdict('https://example.com/', ['10.2.0.1'], options)).toMatch(NOT_PUBLIC);
  expect(await verdict('https://example.com/', ['127.0.0.2'], options)).toMatch(NOT_PUBLIC);
  expect(await verdict('http://example.com/', ['10.1.0.1'], options)).toContain('use https:');
  expect(() => networks(['10.0.0.0/33'])).toThrow('is not a network such as');
});

test('other protocols, credentials, a name without addresses and text that is no URL are refused', async () => {
  const reasons = await Promise.all([
    verdict('ftp://example.com/', ['8.8.8.8']),
    verdict('https://user:secret@example.com/', ['8.8.8.8']),
    verdict('https://example.com/', []),
    verdict('no url'),
  ]);
  expect(reasons).toEqual([
    'the URL begins with ftp:, and only https: is allowed',
    'the URL contains a user name or password, which is not supported',
    'the host example.com has no address',
    'the URL cannot be parsed',
  ]);
});
