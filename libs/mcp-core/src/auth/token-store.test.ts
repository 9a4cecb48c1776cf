import { expect, test } from 'vitest';
import { tokenStoreContract } from '../testing/contracts/token-store.contract.ts';
import { MemoryTokenStore } from './token-store.ts';

test.each(tokenStoreContract(() => new MemoryTokenStore()))(
  'in the store in memory $name',
  async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  },
);
