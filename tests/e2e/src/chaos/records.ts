import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { PgClient } from './agent-packages.ts';

interface Row {
  readonly [column: string]: unknown;
}

/** The rows of the service, which are read and changed without it. */
export class Records {
  readonly #execute: (statement: string) => Promise<readonly Row[]>;
  #isRenamed = false;

  /** `url`: `postgres://…`, or the path of the file of SQLite. */
  constructor(url: string) {
    this.#execute = url.startsWith('postgres:')
      ? (statement) => onPostgres(url, statement)
      : (statement) => onSqlite(url, statement);
  }

  async workers(): Promise<readonly { readonly pid: number; readonly hasEnded: boolean }[]> {
    const rows = await this.#execute('select pid, ended_at from workers');
    return rows.map((row) => ({ pid: Number(row['pid']), hasEnded: row['ended_at'] !== null }));
  }

  /** Returns the number of the last event of each run that has not ended. */
  async runsInProgress(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#execute(
      "select id, last_seq from runs where status not in ('completed', 'failed', 'cancelled', 'expired')",
    );
    return new Map(rows.map((row) => [String(row['id']), Number(row['last_seq'])]));
  }

  async countRuns(): Promise<number> {
    const [row] = await this.#execute('select count(*) as runs from runs');
    return Number(row?.['runs']);
  }

  /** Returns the stored messages of the model in order, by the id of the run. */
  async messages(): Promise<
    ReadonlyMap<string, readonly (readonly [turn: number, messageId: string])[]>
  > {
    const rows = await this.#execute(
      "select run_id, turn, id from messages where role = 'assistant' order by run_id, position",
    );
    const byRun = Map.groupBy(rows, (row) => String(row['run_id']));
    return new Map(
      [...byRun].map(([runId, ofRun]) => [
        runId,
        ofRun.map((row) => [Number(row['turn']), String(row['id'])] as const),
      ]),
    );
  }

  /** Returns runs and tool calls in random order, at most so many of each. */
  async anyJobs(
    count: number,
  ): Promise<readonly { readonly type: 'advance-run' | 'call-tool'; readonly id: string }[]> {
    const [runs, calls] = await Promise.all(
      ['runs', 'tool_calls'].map((table) =>
        this.#execute(`select id from ${table} order by random() limit ${count}`),
      ),
    );
    return [
      ...(runs ?? []).map((row) => ({ type: 'advance-run' as const, id: String(row['id']) })),
      ...(calls ?? []).map((row) => ({ type: 'call-tool' as const, id: String(row['id']) })),
    ];
  }

  /** Hands a job to a worker, as an API process with the queue in memory does. */
  async handJob(type: string, id: string): Promise<void> {
    await this.#execute(
      `insert into handed_jobs (type, subject, created_at) values ('${type}', '${id}', 0) on conflict do nothing`,
    );
  }

  /** Lists a migration of a newer version, as an older version sees it, until `work` has ended. */
  async withNewerMigration<T>(work: () => Promise<T>): Promise<T> {
    await this.#execute(
      "insert into kysely_migration (name, timestamp) values ('9999-newer', 'x') on conflict do nothing",
    );
    try {
      return await work();
    } finally {
      await this.#execute("delete from kysely_migration where name = '9999-newer'");
    }
  }

  /** Renames a column, as a migration of a newer version may do. */
  async renameColumn(): Promise<void> {
    await this.#execute('alter table tool_calls rename column attempt to attempts');
    this.#isRenamed = true;
  }

  /** Gives a renamed column its name back, so that the results can be read. */
  async restoreColumn(): Promise<void> {
    if (!this.#isRenamed) return;
    await this.#execute('alter table tool_calls rename column attempts to attempt');
    this.#isRenamed = false;
  }
}

async function onSqlite(path: string, statement: string): Promise<readonly Row[]> {
  const database = new Database(path, { timeout: 20_000 });
  try {
    const prepared = database.prepare<[], Row>(statement);
    if (prepared.reader) return prepared.all();
    prepared.run();
    return [];
  } finally {
    database.close();
  }
}

/** Repeats a statement while the server does not answer. */
async function onPostgres(connectionString: string, statement: string): Promise<readonly Row[]> {
  for (const until = performance.now() + 30_000; ; await wait(100)) {
    const client = new PgClient({ connectionString });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(statement)).rows;
    } catch (error) {
      const isWrong = String((error as { readonly code?: unknown }).code).startsWith('42');
      if (isWrong || performance.now() > until) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
