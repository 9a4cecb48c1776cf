import { expect, test } from 'vitest';
import type { StdioServerConfig } from '../config/config.ts';
import { secretMask } from './mask-secrets.ts';
import { serverConfig } from './testing/pool-fixture.ts';

const SECRET = 'sk-live/7+Zx&8Q?w';
const server: StdioServerConfig = serverConfig('a', { env: { KEY: SECRET, FLAG: 'true' } });
const mask = secretMask(server);

test('a secret is masked in plain text, in hex and percent-encoded', () => {
  const hex = Buffer.from(SECRET).toString('hex');
  expect(mask(`key ${SECRET}, ${hex}, ${hex.toUpperCase()}, ${encodeURIComponent(SECRET)}.`)).toBe(
    'key ***, ***, ***, ***.',
  );
});

test.each(['base64', 'base64url'] as const)(
  'a secret is masked in %s at any offset of the encoded text',
  (encoding) => {
    expect(mask(`authorization ${Buffer.from(SECRET).toString(encoding)}`)).toMatch(
      /^authorization \*\*\*.?={0,2}$/,
    );
    for (const before of ['a', 'ab', 'abc', 'user:']) {
      for (const after of ['', 'x', 'xy', 'xyz']) {
        const masked = mask(Buffer.from(`${before}${SECRET}${after}`).toString(encoding));
        const [start = '', end = ''] = masked.split('***');
        expect(masked).toContain('***');
        expect(
          Buffer.from(start, encoding)
            .toString('latin1')
            .startsWith(before.slice(0, Math.floor(start.length * 0.75))),
        ).toBe(true);
        // Two characters hold at most twelve bits of the secret.
        expect(start.length - Math.floor((before.length * 4) / 3)).toBeLessThanOrEqual(2);
        expect(
          end.replace(/=+$/, '').length - Math.ceil((after.length * 4) / 3),
        ).toBeLessThanOrEqual(2);
      }
    }
  },
);

test('short values are not masked in their encodings, since other texts contain them', () => {
  expect(mask(Buffer.from('true').toString('base64'))).toBe('dHJ1ZQ==');
});
