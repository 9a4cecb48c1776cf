import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tokenStoreContract } from '@signalbox/mcp-core/testing/contracts';
import { expect, onTestFinished, test } from 'vitest';
import type { Logger } from '../ports/logger.ts';
import { openStore } from '../store/open-store.ts';
import { databaseFolder, provideMigratedDatabase } from '../store/testing/migrated-database.ts';
import type { OpenedStore } from '../store/opened-store.ts';
import { systemClock } from '../system/system-clock.ts';
import { SecretBox } from './secret-box.ts';
import { SecretVault } from './secret-vault.ts';
import { storedTokens } from './stored-tokens.ts';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const KEY = { issuer: 'https://as.example', resource: 'https://mcp.example', principal: '' };
const TOKENS = {
  accessToken: 'access-secret',
  tokenType: 'Bearer',
  refreshToken: 'refresh-secret',
  requestedScopes: [],
  scopes: [],
  clientId: 'c',
} as const;

interface Opened {
  readonly store: OpenedStore;
  readonly dataDir: string;
  readonly warnings: readonly string[];
  readonly vaultOf: (...keys: readonly Buffer[]) => SecretVault;
}

async function open(): Promise<Opened> {
  const dataDir = databaseFolder();
  await provideMigratedDatabase(dataDir);
  const store = await openStore({ dataDir, durability: 'process', clock: systemClock });
  onTestFinished(async () => {
    await store.close();
    await rm(dataDir, { recursive: true });
  });
  const warnings: string[] = [];
  const ignore = (): void => undefined;
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (message) => warnings.push(message),
  };
  const vaultOf = (...keys: readonly Buffer[]): SecretVault => {
    const box = new SecretBox(keys);
    return new SecretVault({ secrets: store.secrets, box: () => box, logger });
  };
  return { store, dataDir, warnings, vaultOf };
}

test.each(tokenStoreContract(async () => storedTokens((await open()).vaultOf(NEW))))(
  'the token store of the service: $name',
  async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  },
);

test('works of one key run one after another in two processes', async () => {
  const { vaultOf } = await open();
  const [first, second] = [storedTokens(vaultOf(NEW)), storedTokens(vaultOf(NEW))];
  let running = 0;
  const counts: number[] = [];
  const work = async (): Promise<void> => {
    running += 1;
    counts.push(running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  const stores = [first, second, first, second, first, second];
  await Promise.all(stores.map((store) => store.withLock(KEY, work)));
  expect(counts).toEqual([1, 1, 1, 1, 1, 1]);
});

test('tokens are not in the files of the database', async () => {
  const { dataDir, store, vaultOf } = await open();
  await storedTokens(vaultOf(NEW)).writeTokens(KEY, TOKENS);
  expect(await store.secrets.list('tokens')).toHaveLength(1);
  for (const file of ['signalbox.sqlite', 'signalbox.sqlite-wal']) {
    const content = await readFile(join(dataDir, file), 'latin1');
    expect(content).not.toMatch(/access-secret|refresh-secret|mcp\.example/u);
  }
});

test('secrets of an earlier key are encrypted again with the current one', async () => {
  const { store, vaultOf } = await open();
  await storedTokens(vaultOf(OLD)).writeTokens(KEY, TOKENS);
  const rotated = vaultOf(NEW, OLD);
  expect(await rotated.reseal()).toBe(1);
  expect(await rotated.reseal()).toBe(0);
  const [secret] = await store.secrets.list('tokens');
  expect(secret?.keyId).toBe(new SecretBox([NEW]).keyId);
  expect(await storedTokens(vaultOf(NEW)).readTokens(KEY)).toEqual(TOKENS);
});

test('tokens of an unknown key are missing, with one warning, and can be replaced', async () => {
  const { vaultOf, warnings } = await open();
  await storedTokens(vaultOf(OLD)).writeTokens(KEY, TOKENS);
  const tokens = storedTokens(vaultOf(NEW));
  expect(await tokens.readTokens(KEY)).toBeUndefined();
  expect(await tokens.readTokens(KEY)).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining('SIGNALBOX_SECRET_KEY')]);
  await tokens.writeTokens(KEY, TOKENS);
  expect(await tokens.readTokens(KEY)).toEqual(TOKENS);
});
