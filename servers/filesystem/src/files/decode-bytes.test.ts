import { expect, test } from 'vitest';
import { decodeBytes } from './decode-bytes.ts';

test.each(['', 'a', 'é', '€', '😀'])(
  'a long text of characters like %j is decoded whole',
  (character) => {
    // Each offset puts the end of a piece at another byte of a character.
    for (let offset = 0; offset < 4; offset++) {
      const text = 'x'.repeat(offset) + character.repeat(300_000);
      expect(decodeBytes(Buffer.from(text), 'utf8') === text).toBe(true);
    }
  },
);

test('each byte of Latin-1 is a character', () => {
  const bytes = Buffer.alloc(1_200_000, 0xe4);
  expect(decodeBytes(bytes, 'latin1') === bytes.toString('latin1')).toBe(true);
});
