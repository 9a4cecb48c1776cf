import { expect, test } from 'vitest';
import { parseHttpAddress } from './http-address.ts';

test.each([
  ['3000', { host: '127.0.0.1', port: 3000 }],
  ['0', { host: '127.0.0.1', port: 0 }],
  ['localhost:3000', { host: 'localhost', port: 3000 }],
  ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
  ['[::1]:65535', { host: '::1', port: 65_535 }],
])('%s is an address', (text, expected) => {
  expect(parseHttpAddress(text)).toEqual(expected);
});

test.each(['', 'localhost', '65536', '::1:80', 'http://x:80', '-1', ':80', 'a b:80'])(
  '%j is none',
  (text) => {
    expect(() => parseHttpAddress(text)).toThrow('--http must be a port or host:port');
  },
);
