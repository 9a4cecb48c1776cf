import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OpenedStore } from '../opened-store.ts';
import type { StoreError } from '../store-error.ts';
import { RELOCK_MS } from './database-lock.ts';
import { openPostgresStore, type PostgresStoreOptions } from './open-postgres-store.ts';
import { createClient } from './postgres-client.ts';
import { startCuttingProxy } from './testing/cutting-proxy.ts';
import { execute, hasPostgres, postgresForTests } from './testing/postgres.ts';

/** Whether a process holds an advisory lock of the database. */
const IS_LOCKED =
  "select 1 from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())";

/** Lets the clock of the waits in this process run ten times slower until the end of the test, so that a loaded machine connects in time. */
function slowClock(): void {
  const now = performance.now.bind(performance);
  const begunAt = now();
  const slow = vi
    .spyOn(performance, 'now')
    .mockImplementation(() => begunAt + (now() - begunAt) / 10);
  onTestFinished(() => slow.mockRestore());
}

describe.skipIf(!hasPostgres)('a living process that has lost its lock with its connection', () => {
  const postgres = postgresForTests();

  type Loss = 'the server was restarted' | 'its connection was cut';

  /** Lets a process of the role lose its lock, until it may connect again. */
  async function lose(
    role: 'worker' | 'all',
    loss: Loss,
  ): Promise<{
    readonly living: OpenedStore;
    readonly open: (options?: Partial<PostgresStoreOptions>) => Promise<OpenedStore>;
    readonly connectAgain: () => void;
    readonly url: string;
  }> {
    const url = await postgres.newDatabase();
    const proxy = await startCuttingProxy(url);
    const living = await openPostgresStore({ url: proxy.url, role });
    onTestFinished(async () => {
      proxy.refuse(false);
      await living.close();
      await proxy.close();
    });
    proxy.refuse(true);
    if (loss === 'the server was restarted') {
      const { kill, start } = postgres.engine();
      await kill();
      await start();
    }
    return {
      living,
      url,
      connectAgain: () => proxy.refuse(false),
      async open(options) {
        const store = await openPostgresStore({ url, role, ...options });
        onTestFinished(() => store.close());
        return store;
      },
    };
  }

  /** Resolves when a process that opens the database has locked it. */
  async function isLocked(url: string): Promise<void> {
    const client = createClient({ url });
    await client.connect();
    onTestFinished(() => client.end());
    await vi.waitFor(async () => expect((await client.query(IS_LOCKED)).rows).not.toEqual([]));
  }

  test.each<Loss>(['the server was restarted', 'its connection was cut'])(
    'because %s is not ended by a process that starts then',
    async (loss) => {
      slowClock();
      const { living, open, connectAgain, url } = await lose('worker', loss);
      const opening = open();
      await isLocked(url);
      connectAgain();
      const started = await opening;
      expect(started.isAlone).toBe(false);
      expect(await started.read.hasLease(living.workerId)).toBe(true);
    },
  );

  test('keeps a process with the role all from starting after a restart of the server', async () => {
    slowClock();
    const { open, connectAgain, url } = await lose('all', 'the server was restarted');
    const refusal = open().catch((error: unknown) => error);
    await isLocked(url);
    connectAgain();
    expect(await refusal).toMatchObject({ code: 'locked' } satisfies Partial<StoreError>);
  });

  test('control: is ended at once when its row does not say that it may live', async () => {
    const { living, open, url } = await lose('worker', 'its connection was cut');
    await execute(url, "update workers set role = 'all'");
    slowClock();
    const begunAt = performance.now();
    const started = await open();
    expect(performance.now() - begunAt).toBeLessThan(RELOCK_MS);
    expect(started.isAlone).toBe(true);
    expect(await started.read.hasLease(living.workerId)).toBe(false);
  });

  test('is ended by a process that starts when it does not connect again in time', async () => {
    const { living, open } = await lose('worker', 'its connection was cut');
    const begunAt = performance.now();
    const started = await open();
    expect(performance.now() - begunAt).toBeGreaterThan(RELOCK_MS);
    expect(started.isAlone).toBe(true);
    expect(await started.read.hasLease(living.workerId)).toBe(false);
  });
});
