import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { HostAddress } from '@signalbox/mcp-core/http/addresses';
import { serverLookup } from './server-addresses.ts';

const v4 = (address: string): HostAddress => ({ address, family: 4 });
const v6 = (address: string): HostAddress => ({ address, family: 6 });

async function addressesOf(
  allowed: readonly string[] | undefined,
  ...found: readonly HostAddress[]
): Promise<unknown> {
  const lookup = serverLookup('https://mcp.example/mcp', allowed, () => Promise.resolve(found));
  return promisify(lookup)('mcp.example', { all: true });
}

test.each([[v4('93.184.215.14')], [v4('10.1.2.3')], [v4('127.0.0.1')], [v6('fd12::1')]])(
  'by default a name may have the address %j',
  async (address) => {
    expect(await addressesOf(undefined, address)).toEqual([address]);
  },
);

test.each([
  [v4('169.254.169.254')],
  [v6('fe80::1')],
  [v6('::ffff:169.254.169.254')],
  [v6('fd00:ec2::254')],
  [v4('100.100.100.200')],
])('a name must not have the address %j', async (address) => {
  const refused = addressesOf(undefined, v4('93.184.215.14'), address);
  await expect(refused).rejects.toThrow('link-local address or that of a metadata service');
});

test('with allowed networks a name has public addresses and those of the networks only', async () => {
  const allowed = ['10.0.0.0/8'];
  const addresses = [v4('93.184.215.14'), v4('10.1.2.3')];
  expect(await addressesOf(allowed, ...addresses)).toEqual(addresses);
  for (const address of [v4('192.168.1.1'), v4('127.0.0.1'), v4('169.254.169.254'), v6('fd12::1')])
    await expect(addressesOf(allowed, v4('93.184.215.14'), address)).rejects.toThrow(
      'remote_servers.allowed_networks',
    );
});

test('an address in the URL is the choice of the configuration, unless networks are set', () => {
  for (const host of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '[fd12::1]']) {
    const url = `http://${host}:3000/mcp`;
    expect(() => serverLookup(url, undefined)).not.toThrow();
    expect(() => serverLookup(url, ['192.168.0.0/16'])).toThrow('remote_servers.allowed_networks');
  }
  expect(() => serverLookup('http://10.0.0.1/mcp', ['10.0.0.0/8'])).not.toThrow();
});

test('an error of the resolver is passed on', async () => {
  const lookup = serverLookup('https://mcp.example', undefined, () =>
    Promise.reject(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' })),
  );
  await expect(promisify(lookup)('mcp.example', { all: true })).rejects.toThrow('no such host');
});
