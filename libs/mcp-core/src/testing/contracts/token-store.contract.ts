import type { strict } from 'node:assert';
import type { StoredTokens, TokenKey, TokenStore } from '../../auth/token-store.ts';

/** A requirement on token stores. `run` rejects when the store violates it. */
export interface TokenStoreCheck {
  readonly name: string;
  /** Runs the check. */
  readonly run: () => Promise<void>;
}

const KEY: TokenKey = {
  issuer: 'https://as.example',
  resource: 'https://mcp.example',
  principal: 'ann',
};
const TOKENS: StoredTokens = {
  accessToken: 'a',
  tokenType: 'Bearer',
  refreshToken: 'r',
  requestedScopes: ['read', 'write'],
  scopes: ['read'],
  expiresAt: 1_800_000_000_000,
  clientId: 'c',
  dpopKey: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' },
};
const CLIENT = { clientId: 'c', clientSecret: 's', authMethod: 'client_secret_post' };

/**
 * The requirements on every token store, as checks for any test runner. `open` returns an empty
 * store and is called once per check.
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { MemoryTokenStore } from '@signalbox/mcp-core/auth';
 * import { tokenStoreContract } from '@signalbox/mcp-core/testing/contracts';
 *
 * for (const { name, run } of tokenStoreContract(() => new MemoryTokenStore())) test(name, run);
 * ```
 */
export function tokenStoreContract(
  open: () => TokenStore | Promise<TokenStore>,
): readonly TokenStoreCheck[] {
  const assert: typeof strict = process.getBuiltinModule('node:assert').strict;
  const check = (name: string, run: (store: TokenStore) => Promise<void>): TokenStoreCheck => ({
    name,
    run: async () => run(await open()),
  });
  return [
    check('tokens are found as they were written', async (store) => {
      assert.equal(await store.readTokens(KEY), undefined);
      await store.writeTokens(KEY, TOKENS);
      assert.deepEqual(await store.readTokens(KEY), TOKENS);
    }),
    check('tokens are found by the same issuer, resource and principal only', async (store) => {
      await store.writeTokens(KEY, TOKENS);
      const others: readonly TokenKey[] = [
        { ...KEY, issuer: `${KEY.issuer}/` },
        { ...KEY, resource: `${KEY.resource}/` },
        { ...KEY, principal: 'Ann' },
        { ...KEY, principal: '' },
        { ...KEY, issuer: KEY.resource, resource: KEY.issuer },
        { ...KEY, resource: '', principal: `${KEY.resource}${KEY.principal}` },
      ];
      for (const other of others) assert.equal(await store.readTokens(other), undefined);
    }),
    check('a write replaces the whole value', async (store) => {
      await store.writeTokens(KEY, TOKENS);
      const renewed: StoredTokens = {
        accessToken: 'b',
        tokenType: 'Bearer',
        requestedScopes: [],
        scopes: [],
        clientId: 'c',
      };
      await store.writeTokens(KEY, renewed);
      const { refreshToken, expiresAt, accessToken } = (await store.readTokens(KEY)) ?? {};
      assert.deepEqual([refreshToken, expiresAt, accessToken], [undefined, undefined, 'b']);
    }),
    check('deleted tokens are gone, and others stay', async (store) => {
      const other = { ...KEY, principal: 'bob' };
      await store.writeTokens(KEY, TOKENS);
      await store.writeTokens(other, TOKENS);
      await store.deleteTokens(KEY);
      await store.deleteTokens(KEY);
      assert.equal(await store.readTokens(KEY), undefined);
      assert.deepEqual(await store.readTokens(other), TOKENS);
    }),
    check('works of one key run one after another', async (store) => {
      let running = 0;
      const counts: number[] = [];
      const work = async (): Promise<void> => {
        running += 1;
        counts.push(running);
        const { accessToken = '' } = (await store.readTokens(KEY)) ?? {};
        await store.writeTokens(KEY, { ...TOKENS, accessToken: `${accessToken}+` });
        running -= 1;
      };
      await Promise.all(Array.from({ length: 8 }, () => store.withLock(KEY, work)));
      assert.deepEqual(counts, [1, 1, 1, 1, 1, 1, 1, 1]);
      assert.equal((await store.readTokens(KEY))?.accessToken, '++++++++');
    }),
    check('a lock settles as its work does, and a failed work releases it', async (store) => {
      const failure = new Error('failed');
      await assert.rejects(
        store.withLock(KEY, () => Promise.reject(failure)),
        failure,
      );
      assert.equal(await store.withLock(KEY, () => Promise.resolve(7)), 7);
    }),
    check('works of different keys do not wait for each other', async (store) => {
      const other = { ...KEY, principal: 'bob' };
      const nested = (): Promise<string> => store.withLock(other, () => Promise.resolve('both'));
      assert.equal(await store.withLock(KEY, nested), 'both');
    }),
    check('a client is found by its issuer and redirect URI only', async (store) => {
      const uri = 'http://127.0.0.1:1/callback';
      await store.writeClient(KEY.issuer, uri, CLIENT);
      assert.deepEqual(await store.readClient(KEY.issuer, uri), CLIENT);
      assert.equal(await store.readClient(`${KEY.issuer}/`, uri), undefined);
      assert.equal(await store.readClient(KEY.issuer, `${uri}/`), undefined);
      await store.deleteClient(KEY.issuer, uri);
      await store.deleteClient(KEY.issuer, uri);
      assert.equal(await store.readClient(KEY.issuer, uri), undefined);
    }),
  ];
}
