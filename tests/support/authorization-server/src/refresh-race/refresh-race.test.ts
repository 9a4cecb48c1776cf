import { join } from 'node:path';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { tokenStoreContract } from '@signalbox/mcp-core/testing/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { runRefreshRace } from './run-refresh-race.ts';
import { SqliteTokenStore } from './sqlite-token-store.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'refresh-race-'));
const ROUNDS = 40;

test('two processes refresh an expiring token once each time, and no call sees a 401', async () => {
  const result = await runRefreshRace({ rounds: ROUNDS, folder: folder(), isLocking: true });
  expect(result).toEqual({
    refreshes: Array.from({ length: ROUNDS }, () => 1),
    refusedRequests: 0,
    failures: [],
  });
});

test('without the lock both refresh, and the reuse of the refresh token ends both', async () => {
  const result = await runRefreshRace({ rounds: ROUNDS, folder: folder(), isLocking: false });
  expect(Math.max(...result.refreshes)).toBeGreaterThan(1);
  expect(result.refusedRequests).toBeGreaterThan(0);
  expect(result.failures[0]).toContain('needs the login of a user');
});

test.each(
  tokenStoreContract(() => {
    const store = new SqliteTokenStore(join(folder(), 'tokens.sqlite'));
    onTestFinished(() => store.close());
    return store;
  }),
)('in the store that the processes share $name', async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});
