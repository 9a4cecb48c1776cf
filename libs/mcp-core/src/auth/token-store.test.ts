import { expect, test } from 'vitest';
import { tokenStoreContract } from '../testing/contracts/token-store.contract.ts';
import { MemoryTokenStore, type TokenKey } from './token-store.ts';

test.each(tokenStoreContract(() => new MemoryTokenStore()))(
  'in the store in memory $name',
  async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  },
);

class StoreWithoutLock extends MemoryTokenStore {
  override withLock<T>(_key: TokenKey, work: () => Promise<T>): Promise<T> {
    return work();
  }
}

test('the contract fails for a store without locks', async () => {
  const checks = tokenStoreContract(() => new StoreWithoutLock());
  const check = checks.find(({ name }) => name === 'works of one key run one after another');
  await expect(check?.run()).rejects.toThrow(/deep.equal/iu);
});
