import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { Clock } from '../clock.ts';
import type { SealedSecret, SecretStore } from './secrets.ts';

const SECRET: SealedSecret = {
  kind: 'tokens',
  name: 'n',
  sealed: 'sealed',
  keyId: 'k1',
  revision: 'r1',
  expiresAt: undefined,
};

/** Requirements on every store of secrets. `open` returns an empty store. */
export function secretsContract(name: string, open: (clock: Clock) => Promise<SecretStore>): void {
  describe(`secrets in ${name}`, () => {
    test('are found by kind and name as they were written, and a write replaces them', async () => {
      const secrets = await open(new ManualClock());
      expect(await secrets.read(SECRET)).toBeUndefined();
      await secrets.write(SECRET);
      expect(await secrets.read(SECRET)).toEqual(SECRET);
      expect(await secrets.read({ kind: 'client', name: 'n' })).toBeUndefined();
      const next = { ...SECRET, sealed: 'other', keyId: 'k2', revision: 'r2', expiresAt: 5 };
      await secrets.write(next);
      expect(await secrets.read(SECRET)).toEqual(next);
    });

    test('are listed by kind in the order of their names', async () => {
      const secrets = await open(new ManualClock());
      for (const each of ['b', 'a']) await secrets.write({ ...SECRET, name: each });
      await secrets.write({ ...SECRET, kind: 'login' });
      expect((await secrets.list('tokens')).map((secret) => secret.name)).toEqual(['a', 'b']);
    });

    test('are replaced and removed only in the expected revision', async () => {
      const secrets = await open(new ManualClock());
      const next = { ...SECRET, sealed: 'other', revision: 'r2' };
      expect(await secrets.replace('r1', next)).toBe(false);
      await secrets.write(SECRET);
      expect(await secrets.replace('r0', next)).toBe(false);
      expect(await secrets.replace('r1', next)).toBe(true);
      expect(await secrets.read(SECRET)).toEqual(next);
      expect(await secrets.remove(SECRET, 'r1')).toBe(false);
      expect(await secrets.remove(SECRET, 'r2')).toBe(true);
      expect(await secrets.remove(SECRET)).toBe(false);
    });

    test('are removed at the end of their time', async () => {
      const clock = new ManualClock();
      const secrets = await open(clock);
      await secrets.write({ ...SECRET, expiresAt: clock.now() + 10 });
      await secrets.write({ ...SECRET, name: 'stays' });
      await secrets.removeExpired();
      expect(await secrets.list('tokens')).toHaveLength(2);
      clock.advance(10);
      await secrets.removeExpired();
      expect((await secrets.list('tokens')).map((secret) => secret.name)).toEqual(['stays']);
    });

    test('have locks with one holder, whose lease ends', async () => {
      const clock = new ManualClock();
      const secrets = await open(clock);
      const acquired = await Promise.all(['a', 'b'].map((each) => secrets.lock('n', each, 100)));
      expect(acquired.filter(Boolean)).toHaveLength(1);
      const [holder, other] = acquired[0] === true ? ['a', 'b'] : ['b', 'a'];
      expect(await secrets.lock('another', other, 100)).toBe(true);
      await secrets.unlock('n', other);
      expect(await secrets.lock('n', other, 100)).toBe(false);
      clock.advance(60);
      expect(await secrets.lock('n', holder, 100)).toBe(true);
      clock.advance(60);
      expect(await secrets.lock('n', other, 100)).toBe(false);
      clock.advance(40);
      expect(await secrets.lock('n', other, 100)).toBe(true);
      await secrets.unlock('n', other);
      expect(await secrets.lock('n', holder, 100)).toBe(true);
      await secrets.unlockAll();
      expect(await secrets.lock('n', other, 100)).toBe(true);
      await secrets.unlockAll();
      await secrets.unlockAll();
    });
  });
}
