import { describe, expect, test } from 'vitest';
import { secretArguments, shownArguments, shownSecret, shownUrl } from './secret-texts.ts';

test.each([
  ['abc', '***'],
  ['', ''],
  ['${TOKEN}', '${TOKEN}'],
  ['Bearer ${env:TOKEN}', 'Bearer ${env:TOKEN}'],
  ['${input:token}', '${input:token}'],
  ['${TOKEN:-default}', '***'],
  ['prefix ${TOKEN}', '***'],
  ['$${TOKEN}', '***'],
])('the secret %j is shown as %j', (value, shown) => {
  expect(shownSecret(value)).toBe(shown);
});

test.each([
  ['https://mcp.example/mcp', 'https://mcp.example/mcp'],
  ['https://ann:pw@mcp.example/mcp', 'https://ann:***@mcp.example/mcp'],
  ['https://a-token@mcp.example/mcp', 'https://***@mcp.example/mcp'],
  ['https://a-token:@mcp.example/mcp', 'https://***@mcp.example/mcp'],
  ['https://ghp_abcdefghijkl:x@mcp.example/', 'https://***@mcp.example/'],
  ['https://mcp.example/mcp?key=abc&b=${B}', 'https://mcp.example/mcp?key=***&b=${B}'],
  ['https://mcp.example/mcp?abc', 'https://mcp.example/mcp?***'],
  ['https://mcp.example/mcp#abc', 'https://mcp.example/mcp#***'],
  ['https://mcp.example/s/0123456789abcdef0123456789abcdef/mcp', 'https://mcp.example/s/***/mcp'],
  ['https://${HOST}/mcp', 'https://${HOST}/mcp'],
  ['${URL}', '${URL}'],
  ['mcp.example/secret', '***'],
])('the address %j is shown as %j', (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});

describe('arguments', () => {
  test.each([
    [['-y', '@scope/server-of-somebody@1.2.3', '/home/ann/notes', '--read-only'], undefined],
    [['--max-old-space-size=4096', '--db', 'shop.db', '--port', '8020'], undefined],
    [
      ['--token', 'abc'],
      ['--token', '***'],
    ],
    [
      ['--api-key=abc', '--apiKey=abc'],
      ['--api-key=***', '--apiKey=***'],
    ],
    [['--token=${TOKEN}', '--token', '--verbose'], undefined],
    [['GITHUB_TOKEN=abc'], ['GITHUB_TOKEN=***']],
    [
      ['-H', 'X-Any: abc'],
      ['-H', 'X-Any: ***'],
    ],
    [['Authorization: Bearer abc'], ['Authorization: ***']],
    [['postgres://ann:pw@db/shop'], ['postgres://ann:***@db/shop']],
    [['--url=postgres://ann:pw@db/shop'], ['--url=postgres://ann:***@db/shop']],
    [['ghp_abcdefghijklmnop'], ['***']],
    [['0123456789abcdef0123456789abcdef'], ['***']],
    [['aB3xY9kLmN0pQrStUvWxYz12'], ['***']],
  ])('%j are shown as %j', (args, shown = args) => {
    expect(shownArguments(args)).toEqual(shown);
  });

  test('have the secrets that are hidden', () => {
    expect(
      secretArguments(['--token', 'abcdefgh', '--url=https://u:password@h/', '--auth', 'none']),
    ).toEqual(['abcdefgh', 'password']);
  });
});
