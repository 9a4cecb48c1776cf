import { describe, expect, onTestFinished, test } from 'vitest';
import { SkippedError, type Statement, type StatementResult } from './batch.ts';
import { BatchedClient } from './batched-client.ts';
import { createClient } from './postgres-client.ts';
import { hasPostgres, postgresForTests } from './testing/postgres.ts';

const statement = (name: string, text: string, ...values: string[]): Statement => ({
  name,
  text,
  values,
});

const NUMBER = 'select $1::bigint as a_number, null as nothing';

describe.skipIf(!hasPostgres)('statements that a connection sends together', () => {
  const postgres = postgresForTests();

  async function connect(): Promise<{
    readonly client: BatchedClient;
    /** Number of messages of a kind that the server has sent. */
    readonly received: (kind: 'rowDescription' | 'readyForQuery') => number;
  }> {
    const client = createClient({ url: await postgres.newDatabase() });
    const counts = new Map<string, number>();
    // The connection is no declared property.
    const { connection } = client as unknown as { readonly connection: NodeJS.EventEmitter };
    for (const kind of ['rowDescription', 'readyForQuery'])
      connection.on(kind, () => counts.set(kind, (counts.get(kind) ?? 0) + 1));
    await client.connect();
    onTestFinished(() => client.end());
    counts.clear();
    return { client: new BatchedClient(client), received: (kind) => counts.get(kind) ?? 0 };
  }

  test('have one answer, each with its rows and its count', async () => {
    const { client, received } = await connect();
    const results = await Promise.all([
      client.query(statement('n', NUMBER, '7')),
      client.query(statement('c', 'create temporary table t (id text)')),
      client.query(statement('i', 'insert into t values ($1), ($2)', 'a', 'b')),
      client.query({ text: 'select id from t order by id', values: [] }),
      client.query(statement('n', NUMBER, '8')),
    ]);
    expect(results).toEqual([
      { command: 'SELECT', rowCount: 1, rows: [{ aNumber: 7, nothing: null }] },
      { command: 'CREATE', rowCount: 0, rows: [] },
      { command: 'INSERT', rowCount: 2, rows: [] },
      { command: 'SELECT', rowCount: 2, rows: [{ id: 'a' }, { id: 'b' }] },
      { command: 'SELECT', rowCount: 1, rows: [{ aNumber: 8, nothing: null }] },
    ] satisfies StatementResult<unknown>[]);
    expect(received('readyForQuery')).toBe(1);
  });

  test('are described once', async () => {
    const { client, received } = await connect();
    for (const value of ['1', '2', '3']) await client.query(statement('n', NUMBER, value));
    expect(received('rowDescription')).toBe(1);
  });

  test('are skipped after one that failed, and all can be sent again', async () => {
    const { client } = await connect();
    const rowsOf = async (sent: Statement): Promise<unknown> =>
      client.query(sent).then(
        ({ rows }) => rows,
        (error: unknown) => error,
      );
    const send = (divisor: string): Promise<unknown[]> =>
      Promise.all([
        rowsOf(statement('first', 'select 1 as one')),
        rowsOf(statement('divide', 'select 6 / $1::int as result', divisor)),
        rowsOf(statement('last', 'select 3 as three')),
      ]);
    const [first, failure, skipped] = await send('0');
    expect(first).toEqual([{ one: 1 }]);
    expect(failure).toMatchObject({ message: 'division by zero' });
    expect(failure).not.toBeInstanceOf(SkippedError);
    expect(skipped).toBeInstanceOf(SkippedError);
    for (const _ of ['prepared again', 'known'])
      expect(await send('2')).toEqual([[{ one: 1 }], [{ result: 3 }], [{ three: 3 }]]);
  });

  test('are rejected when the connection has ended', async () => {
    const client = createClient({ url: await postgres.newDatabase() });
    await client.connect();
    await client.end();
    await expect(new BatchedClient(client).query(statement('n', NUMBER, '1'))).rejects.toThrow(
      'Client was closed',
    );
  });
});
