import { join } from 'node:path';
import { inspect } from 'node:util';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sharedStoreContract } from '../../ports/shared-store.contract.ts';
import { storeContract } from '../../ports/store.contract.ts';
import { fleetContract } from '../../ports/store/fleet.contract.ts';
import { secretsContract } from '../../ports/store/secrets.contract.ts';
import { toolPinsContract } from '../../ports/tool-pins.contract.ts';
import { request } from '../../ports/testing/keyed-request.ts';
import { storedAgent } from '../../ports/testing/stored-agent.ts';
import { catalogueTool } from '../../ports/testing/catalogue-tool.ts';
import { plannedCall } from '../../ports/testing/planned-call.ts';
import { textArtifact } from '../../ports/testing/text-artifact.ts';
import { queuedRun } from '../../ports/testing/queued-run.ts';
import { createInProcessSignalBus } from '../../queue/in-process-signal-bus.ts';
import type { RowLocks } from '../../ports/store.ts';
import type { OpenedStore } from '../opened-store.ts';
import { StoreError } from '../store-error.ts';
import { databaseFolder, provideMigratedDatabase } from '../testing/migrated-database.ts';
import { openStore } from '../open-store.ts';
import { copyRunFromPostgres } from './copy-run-from-postgres.ts';
import { copyToPostgres } from './copy-to-postgres.ts';
import { openPostgresStore, type PostgresStoreOptions } from './open-postgres-store.ts';
import { createClient } from './postgres-client.ts';
import { startCuttingProxy } from './testing/cutting-proxy.ts';
import { execute, hasPostgres, postgresForTests } from './testing/postgres.ts';

const clock = { now: () => 1234, after: () => () => undefined };

describe.skipIf(!hasPostgres)('a store on PostgreSQL', () => {
  const postgres = postgresForTests();
  let shared: string | undefined;

  /** Opens a store on a database without rows. */
  async function openEmpty(options: Partial<PostgresStoreOptions> = {}): Promise<OpenedStore> {
    if (shared === undefined) shared = await postgres.newDatabase();
    else await postgres.empty(shared);
    return openPostgresStore({ url: shared, clock, connections: 4, ...options });
  }

  storeContract('PostgreSQL', (time = clock) => openEmpty({ clock: time }));

  sharedStoreContract('PostgreSQL', async () => {
    const first = await openEmpty({ role: 'worker' });
    return [first, await openPostgresStore({ url: shared ?? '', clock, role: 'worker' })];
  });

  fleetContract('PostgreSQL', async (time) => {
    const store = await openEmpty({ clock: time, role: 'api' });
    return {
      store,
      fleet: store.fleet,
      handedJobs: store.handedJobs,
      serverOwners: store.serverOwners,
      close: () => store.close(),
    };
  });

  secretsContract('PostgreSQL', async (time) => {
    const store = await openEmpty({ clock: time });
    onTestFinished(() => store.close());
    return store.secrets;
  });

  describe('tool pins', () => {
    toolPinsContract(async () => {
      const store = await openEmpty();
      onTestFinished(() => store.close());
      return store.toolPins;
    });
  });

  const again = (options: Partial<PostgresStoreOptions> = {}): Promise<OpenedStore> =>
    openPostgresStore({ url: shared ?? '', clock, ...options });

  async function refusal(opening: Promise<OpenedStore>): Promise<string> {
    const error: unknown = await opening.then(
      (store) => store.close(),
      (reason: unknown) => reason,
    );
    return error instanceof StoreError ? `${error.code}: ${inspect(error)}` : 'not refused';
  }

  /** Ends every connection to the database of the tests but those of other databases. */
  const cutConnections = (): Promise<void> =>
    execute(
      postgres.engine().url,
      `select pg_terminate_backend(pid) from pg_stat_activity where query not like 'delete %' and datname = '${(shared ?? '').split('/').at(-1)}'`,
    );

  test('keeps its commits when it is opened again', async () => {
    const first = await openEmpty();
    await first.write({}, (sql) => sql.insertRun(queuedRun('r')));
    await first.close();
    const second = await again();
    expect(await second.read.run('r')).toMatchObject({ prompt: 'do it' });
    expect(second.isAlone).toBe(true);
    await second.close();
  });

  test('is used by one process with the role all, or by several with other roles', async () => {
    const alone = await openEmpty();
    expect(await refusal(again())).toContain('is in use by another process. Stop it');
    expect(await refusal(again({ role: 'worker' }))).toContain('locked: ');
    await alone.close();
    const [first, second] = await Promise.all([again({ role: 'api' }), again({ role: 'worker' })]);
    expect(first.isAlone).not.toBe(second.isAlone);
    expect(await refusal(again())).toContain('locked: ');
    await first.close();
    await second.close();
  });

  test('has the same tables and columns as SQLite', async () => {
    const url = await postgres.newDatabase();
    const store = await openPostgresStore({ url, clock });
    await store.close();
    const client = createClient({ url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'",
    );
    const { rows: texts } = await client.query(
      "select 1 from information_schema.columns where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C' and table_name not like 'kysely%'",
    );
    await client.end();
    const dataDir = databaseFolder();
    await provideMigratedDatabase(dataDir);
    const sqlite = new Sqlite(join(dataDir, 'signalbox.sqlite'), { readonly: true });
    const columns = sqlite
      .prepare(
        "select t.name || '.' || c.name from sqlite_schema as t, pragma_table_info(t.name) as c where t.type = 'table' and t.name not like 'sqlite%'",
      )
      .pluck()
      .all();
    sqlite.close();
    expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(columns));
    expect(texts).toEqual([]);
  });

  test('gets every row of a data directory, and is refused when it has runs already', async () => {
    const dataDir = databaseFolder();
    await provideMigratedDatabase(dataDir);
    const store = await openStore({ dataDir, durability: 'process', clock });
    await store.write({}, async (sql) => {
      await sql.insertThread({ id: 't', title: 'a\0b', metadata: {}, createdAt: 1, updatedAt: 1 });
      for (let index = 0; index < 1000; index += 1) {
        const [id, callId] = [`r${String(index)}`, `c${String(index)}`];
        await sql.insertRun(
          queuedRun(id, { threadId: 't', threadPosition: index, retryAt: index + 0.5 }),
        );
        await sql.append(id, [{ type: 'run.queued', data: { index, text: '\0' } }]);
        await sql.insertMessage(id, { id: `m${id}`, turn: 0, role: 'user', content: [] });
        await sql.insertToolCall({ ...plannedCall(callId), runId: id });
        await sql.startTurn({ runId: id, turn: 1, owner: store.workerId, messageId: `t${id}` });
        if (index % 100 === 0)
          await sql.insertArtifact({
            ...textArtifact(`a${id}`, id),
            callId,
            data: Buffer.from([0, index % 255]),
          });
      }
      await sql.claimKey(request());
      const agent = storedAgent('a', {
        name: 'reader',
        servers: ['x'],
        toolRules: { deny: ['x__*'] },
      });
      await sql.insertAgent(agent, 'ci');
      await sql.replaceAgent({ ...agent, version: 2, toolRules: undefined, updatedAt: 2 }, 'ci');
      await sql.insertEpoch({ runId: 'r0', id: 'e', system: 's', tools: [], policies: {} });
    });
    await store.secrets.write({
      kind: 'tokens',
      name: 'n',
      sealed: 'v1.x',
      keyId: 'k',
      revision: 'r',
      expiresAt: undefined,
    });
    await store.close();
    const url = await postgres.newDatabase();
    const copied = await copyToPostgres({ dataDir, url });
    expect(Object.fromEntries(copied)).toMatchObject({
      runs: 1000,
      run_texts: 1000,
      events: 1000,
      artifacts: 10,
      agents: 1,
      agent_versions: 2,
      secrets: 1,
    });
    const source = new Sqlite(join(dataDir, 'signalbox.sqlite'), { readonly: true });
    const client = createClient({ url });
    await client.connect();
    for (const table of copied.keys()) {
      if (table === 'workers') continue;
      const rowsOf = (rows: readonly object[]): readonly string[] =>
        rows.map((row) => JSON.stringify(row)).toSorted();
      const { rows } = await client.query<object>(`select * from ${table}`);
      const expected = source.prepare<[], object>(`select * from ${table}`).all();
      expect([table, rowsOf(rows)]).toEqual([table, rowsOf(expected.map(wholeNumbers))]);
    }
    source.close();
    await client.end();
    await expect(copyToPostgres({ dataDir, url })).rejects.toThrow('has rows in runs already');
    const moved = await openPostgresStore({ url, clock });
    onTestFinished(() => moved.close());
    expect(await moved.read.orphanedRuns({ limit: 9 })).toHaveLength(9);
  });

  test('one run is copied into a data directory, with the runs of its thread and nothing else', async () => {
    const store = await openEmpty();
    onTestFinished(() => store.close());
    await store.write({}, async (sql) => {
      await sql.insertThread({ id: 't', title: 'a\0b', metadata: {}, createdAt: 1, updatedAt: 1 });
      for (const [index, id] of ['r0', 'r1', 'other'].entries()) {
        const inThread = id === 'other' ? {} : { threadId: 't', threadPosition: index };
        await sql.insertRun(queuedRun(id, { prompt: '\0', ...inThread }));
        for (let seq = 1; seq <= 101; seq += 1)
          await sql.append(id, [{ type: 'run.queued', data: { seq } }]);
        await sql.insertMessage(id, { id: `m${id}`, turn: 0, role: 'user', content: [] });
        await sql.insertToolCall({ ...plannedCall(`c${id}`), runId: id });
        const data = Buffer.from([0, index]);
        await sql.insertArtifact({ ...textArtifact(`a${id}`, id), callId: `c${id}`, data });
        const tools = [catalogueTool(id)];
        await sql.insertEpoch({ runId: id, id: `e${id}`, system: 's', tools, policies: {} });
      }
    });
    const dataDir = join(databaseFolder(), 'copy');
    await copyRunFromPostgres({ url: shared ?? '', runId: 'r1', dataDir });
    const copy = await openStore({ dataDir, durability: 'process', clock });
    onTestFinished(() => copy.close());
    for (const id of ['r0', 'r1']) {
      const contents = async ({ read }: OpenedStore): Promise<readonly unknown[]> => [
        await read.run(id),
        await read.events(id, { after: 0, limit: 200 }),
        await read.messages(id),
        await read.toolCalls(id),
        await read.epoch(id),
        await read.artifact(`a${id}`),
      ];
      expect(await contents(copy)).toEqual(await contents(store));
    }
    expect(await copy.read.thread('t')).toEqual(await store.read.thread('t'));
    expect(await copy.read.run('other')).toBeUndefined();
    expect(await copy.read.artifact('aother')).toBeUndefined();
    const digests = new Sqlite(join(dataDir, 'signalbox.sqlite'), { readonly: true });
    expect(digests.prepare('select count(*) from tool_sets').pluck().get()).toBe(2);
    digests.close();
  });

  test('of another version is refused when a run is to be copied', async () => {
    const url = await postgres.newDatabase();
    const copyFails = async (): Promise<string> =>
      copyRunFromPostgres({ url, runId: 'r', dataDir: join(databaseFolder(), 'copy') }).then(
        () => 'copied',
        (error: unknown) => String(error),
      );
    expect(await copyFails()).toMatch(
      /^StoreError: The database postgres:\/\/127\.0\.0\.1:\d+\/t_\w+ lacks tables of this version of Signalbox\./,
    );
    await (await openPostgresStore({ url, clock })).close();
    expect(await copyFails()).toBe('copied');
    await execute(
      url,
      "insert into kysely_migration (name, timestamp) values ('0099-future', 'x')",
    );
    expect(await copyFails()).toContain('was written by a newer version');
  });

  test('that a newer version wrote is refused, and so is one with a missing table', async () => {
    const url = await postgres.newDatabase();
    await (await openPostgresStore({ url, clock })).close();
    await execute(
      url,
      "insert into kysely_migration (name, timestamp) values ('0099-future', 'x')",
    );
    expect(await refusal(openPostgresStore({ url, clock }))).toMatch(
      /^newer_database: .*The database postgres:\/\/127\.0\.0\.1:\d+\/t_\w+ was written by a newer version.*0099-future/,
    );
    await execute(
      url,
      "delete from kysely_migration where name = '0099-future'; drop table workers",
    );
    expect(await refusal(openPostgresStore({ url, clock }))).toContain('it has no table workers');
  });

  test('that cannot be reached is refused with its address and without the password', async () => {
    const url = 'postgres://ada:secret-of-ada@127.0.0.1:1/runs?connect_timeout=1';
    const text = await refusal(openPostgresStore({ url, clock }));
    expect(text).toContain(
      'unusable: StoreError: The database postgres://127.0.0.1:1/runs cannot be opened (ECONNREFUSED). Is the server running, and is DATABASE_URL correct?',
    );
    expect(text).not.toContain('secret');
  });

  test('texts with NUL, and with the character that replaces it, are read back as they were written', async () => {
    const store = await openEmpty();
    onTestFinished(() => store.close());
    const prompt = 'a\0b\u{10FFFE}0c\u{10FFFE}1\0';
    await store.write({}, (sql) =>
      sql.insertRun(queuedRun('r', { prompt, metadata: { '\0': '\0' } })),
    );
    expect(await store.read.run('r')).toMatchObject({ prompt, metadata: { '\0': '\0' } });
  });

  describe('writes at the same time', () => {
    async function openWithRuns(): Promise<OpenedStore> {
      const store = await openEmpty();
      onTestFinished(() => store.close());
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
        await sql.insertRun(queuedRun('in-thread', { threadId: 't1', threadPosition: 0 }));
      });
      return store;
    }

    test('writes that lock the same run, or its thread, run one after the other', async () => {
      const store = await openWithRuns();
      const steps: string[] = [];
      const write = (name: string, locks: RowLocks): Promise<void> =>
        store.write(locks, async (sql) => {
          await sql.run('r1');
          steps.push(`${name} begins`);
          for (let reads = 0; reads < 5; reads += 1) await sql.run('r1');
          steps.push(`${name} ends`);
        });
      await Promise.all([
        write('run', { run: 'in-thread' }),
        write('same run', { run: 'in-thread' }),
        write('thread', { thread: 't1' }),
        write('other', { run: 'r2' }),
      ]);
      const inThread = steps.filter((step) => !step.startsWith('other'));
      expect(inThread).toEqual(
        ['run', 'same run', 'thread'].flatMap((name) => [`${name} begins`, `${name} ends`]),
      );
      expect(steps.indexOf('other begins')).toBeLessThan(steps.indexOf('run ends'));
    });

    test('a statement that fails rejects its own write only', async () => {
      const store = await openWithRuns();
      const results = await Promise.allSettled([
        store.write({ run: 'r1' }, (sql) => sql.updateRun('r1', { turns: 1 })),
        store.write({ run: 'r2' }, (sql) => sql.insertRun(queuedRun('r2'))),
        store.write({ run: 'in-thread' }, (sql) => sql.updateRun('in-thread', { turns: 1 })),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      for (const id of ['r1', 'in-thread'])
        expect(await store.read.run(id)).toMatchObject({ turns: 1 });
    });

    test('a write whose run another process has locked does not hold up other writes', async () => {
      const store = await openEmpty({ role: 'worker' });
      const other = await openPostgresStore({ url: shared ?? '', clock, role: 'worker' });
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
      });
      const locked = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const holding = other.write({ run: 'r1' }, async (sql) => {
        await sql.run('r1');
        locked.resolve();
        await release.promise;
      });
      await locked.promise;
      const turnOf = (id: string): Promise<void> =>
        store.write({ run: id }, (sql) => sql.updateRun(id, { turns: 1 }));
      const waiting = turnOf('r1');
      await turnOf('r2');
      expect(await store.read.run('r1')).toMatchObject({ turns: 0 });
      release.resolve();
      await Promise.all([holding, waiting]);
      expect(await store.read.run('r1')).toMatchObject({ turns: 1 });
      await store.close();
      await other.close();
    });

    test('writes that take the same named lock do not share a transaction', async () => {
      const store = await openWithRuns();
      const claims = await Promise.all(
        ['r1', 'r2'].map((run) =>
          store.write({ run }, (sql) => sql.claimKey(request({ owner: store.workerId }))),
        ),
      );
      expect(claims.filter((used) => used === undefined)).toHaveLength(1);
    });
  });

  describe('when something fails', () => {
    const insertRun = (store: OpenedStore, id: string): Promise<number> => {
      let runs = 0;
      return store.write({}, async (sql) => {
        await sql.insertRun(queuedRun(id));
        await sql.run(id);
        return (runs += 1);
      });
    };

    test('a transaction whose connection ends before the commit is run again', async () => {
      const empty = await openEmpty();
      await empty.close();
      const proxy = await startCuttingProxy(shared ?? '');
      const store = await again({ url: proxy.url });
      proxy.cutAt('insert into "runs"', 'after');
      expect(await insertRun(store, 'r1')).toBe(1);
      proxy.cutAt('commit\0', 'before');
      await expect(insertRun(store, 'r2')).rejects.toMatchObject({
        name: 'StorageError',
        reason: 'unreachable',
        message: expect.stringContaining('it is unknown whether the change was stored') as string,
      });
      expect((await store.read.runs({ limit: 9 })).data.map(({ id }) => id)).toEqual(['r1']);
      proxy.cutAt('commit\0', 'after');
      await expect(insertRun(store, 'r3')).rejects.toMatchObject({ reason: 'unreachable' });
      await vi.waitFor(async () => expect(await store.read.run('r3')).toBeDefined());
      await store.close();
      await proxy.close();
    });

    test('transactions that wait for each other are run again, and both are stored', async () => {
      const store = await openEmpty();
      onTestFinished(() => store.close());
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
      });
      const both = Promise.withResolvers<void>();
      let waiting = 0;
      let attempts = 0;
      const change = (first: string, second: string): Promise<void> =>
        store.write({}, async (sql) => {
          attempts += 1;
          await sql.updateRun(first, { turns: 1 });
          await sql.run(first);
          if ((waiting += 1) === 2) both.resolve();
          await both.promise;
          await sql.updateRun(second, { toolCalls: 1 });
        });
      await Promise.all([change('r1', 'r2'), change('r2', 'r1')]);
      // The transaction that is run again can lock its first row before the other one, which waits for it.
      expect(attempts).toBeGreaterThanOrEqual(3);
      for (const id of ['r1', 'r2'])
        expect(await store.read.run(id)).toMatchObject({ turns: 1, toolCalls: 1 });
    });

    test('signals arrive again after the connection for them was lost, and the database is still locked', async () => {
      const store = await openEmpty({ role: 'worker' });
      const other = await again({ role: 'api' });
      const received: string[] = [];
      const bus = store.shareSignals(createInProcessSignalBus());
      bus.subscribe('servers', () => void received.push('own'));
      const local = createInProcessSignalBus();
      local.subscribe('servers', () => void received.push('other'));
      other.shareSignals(local);
      await cutConnections();
      // A lost signal is not repeated by the bus: who waits looks by itself.
      await vi.waitFor(() => {
        bus.publish({ type: 'servers' });
        expect(received).toContain('other');
      }, 5000);
      expect(await refusal(again())).toContain('locked: ');
      await insertRun(store, 'r1');
      expect(await other.read.run('r1')).toBeDefined();
      await store.close();
      await other.close();
    });

    test('a write waits for a server that can write, when its server has handed over to another', async () => {
      const store = await openEmpty();
      onTestFinished(() => store.close());
      const server = postgres.engine().url;
      const readOnly = (value: string): Promise<void> =>
        execute(
          server,
          `alter database ${(shared ?? '').split('/').at(-1)} set default_transaction_read_only = ${value}`,
        );
      await readOnly('on');
      await cutConnections();
      const tries: number[] = [];
      const written = store.write({}, async (sql) => {
        tries.push(tries.length);
        if (tries.length === 2) await readOnly('off');
        await sql.insertRun(queuedRun('r1'));
      });
      await written;
      expect(tries.length).toBeGreaterThan(2);
      expect(await store.read.run('r1')).toBeDefined();
    });

    test('a statement that takes too long fails with a reason, and the next one works', async () => {
      const first = await openEmpty({ role: 'worker' });
      const second = await again({ role: 'worker', statementTimeoutMs: 1000 });
      await insertRun(first, 'r1');
      const held = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const holding = first.write({ run: 'r1' }, async (sql) => {
        await sql.run('r1');
        begun.resolve();
        await held.promise;
      });
      await begun.promise;
      await expect(
        second.write({ run: 'r1' }, (sql) => sql.updateRun('r1', { turns: 1 })),
      ).rejects.toMatchObject({ name: 'StorageError', reason: 'busy' });
      held.resolve();
      await holding;
      await second.write({ run: 'r1' }, (sql) => sql.updateRun('r1', { turns: 1 }));
      await first.close();
      await second.close();
    });

    test('a transaction whose work hides the failure of a statement is not stored, and says so', async () => {
      const store = await openEmpty();
      onTestFinished(() => store.close());
      const work = store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertRun(queuedRun('r1')).catch(() => undefined);
      });
      await expect(work).rejects.toThrow('duplicate key value');
      expect(await store.read.run('r1')).toBeUndefined();
    });
  });
});

/** Returns a row of SQLite with the numbers that PostgreSQL stores. */
function wholeNumbers(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? Math.round(value) : value,
    ]),
  );
}
