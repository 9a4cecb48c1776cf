import { expect, test } from 'vitest';
import { webAddress } from './web-address.ts';

test('an address of the web has its host in ASCII', () => {
  expect(webAddress('https://exämple.com:8443/a')).toEqual({
    href: 'https://xn--exmple-cua.com:8443/a',
    host: 'xn--exmple-cua.com:8443',
    isEncrypted: true,
  });
  expect(webAddress('http://user@10.0.0.1/')).toMatchObject({
    host: '10.0.0.1',
    isEncrypted: false,
  });
});

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'nonsense', ''])(
  '%j cannot be opened',
  (url) => {
    expect(webAddress(url)).toBeUndefined();
  },
);
