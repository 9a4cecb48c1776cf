import { describe, expect, test } from 'vitest';
import { SecretBox } from './secret-box.ts';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const PLACE = { kind: 'tokens', name: 'n' } as const;

describe('an encrypted secret', () => {
  test('opens with its key, at its place, and looks different each time', () => {
    const box = new SecretBox([NEW]);
    const [first, second] = [box.seal('top secret', PLACE), box.seal('top secret', PLACE)];
    expect(first.sealed).not.toBe(second.sealed);
    expect(first.sealed).not.toContain('top secret');
    expect(box.open(first, PLACE)).toBe('top secret');
    expect(box.open(first, { ...PLACE, name: 'm' })).toBeUndefined();
    expect(box.open(first, { ...PLACE, kind: 'client' })).toBeUndefined();
  });

  test('opens with an earlier key, which does not encrypt', () => {
    const sealed = new SecretBox([OLD]).seal('x', PLACE);
    const rotated = new SecretBox([NEW, OLD]);
    expect(rotated.open(sealed, PLACE)).toBe('x');
    expect(rotated.seal('x', PLACE).keyId).not.toBe(sealed.keyId);
    expect(new SecretBox([NEW]).open(sealed, PLACE)).toBeUndefined();
  });

  test('does not open when a byte of it was changed or cut', () => {
    const box = new SecretBox([NEW]);
    const { sealed, keyId } = box.seal('some text', PLACE);
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(box.open({ sealed: `v1.${changed.toString('base64url')}`, keyId }, PLACE)).toBe(
        undefined,
      );
    }
    expect(box.open({ sealed: sealed.slice(0, 20), keyId }, PLACE)).toBeUndefined();
    expect(box.open({ sealed: sealed.replace('v1', 'v2'), keyId }, PLACE)).toBeUndefined();
  });

  test('has a key id that does not reveal the key', () => {
    const { keyId } = new SecretBox([NEW]);
    expect(keyId).toMatch(/^[0-9a-f]{16}$/u);
    expect(NEW.toString('hex')).not.toContain(keyId);
  });
});
