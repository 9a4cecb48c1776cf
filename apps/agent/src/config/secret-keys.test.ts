import { expect, test } from 'vitest';
import { parseSecretKeys, secretKeysOf } from './secret-keys.ts';

const KEY = Buffer.alloc(32, 7);

test('keys are read in base64, base64url and hex, separated by commas or lines', () => {
  const forms = [KEY.toString('base64'), KEY.toString('base64url'), KEY.toString('hex')];
  expect(parseSecretKeys(`${forms.join(', ')}\n`, 'file')).toEqual([KEY, KEY, KEY]);
});

test.each([' , ', 'passphrase', KEY.toString('base64').slice(4), `${KEY.toString('hex')}00`])(
  'the key %j is refused without its text',
  (text) => {
    expect(() => secretKeysOf({ SIGNALBOX_SECRET_KEY: text })).toThrow(
      /^SIGNALBOX_SECRET_KEY: (?:has no key|key 1 is not 32 bytes in base64 or hex); create a key with: openssl rand -base64 32$/u,
    );
  },
);

test('without the variable there are no keys', () => {
  expect(secretKeysOf({})).toBeUndefined();
});
