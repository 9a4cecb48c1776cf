import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connect } from './testing/connect.ts';
import { temporaryDatabase } from './testing/temporary-database.ts';

const SCHEMA = `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  INSERT INTO users VALUES (1, 'Ada'), (2, 'Grace');
  CREATE VIEW names AS SELECT name FROM users;`;

describe('the SQLite server', () => {
  test.each(['legacy', 'modern'] as const)('answers a %s client', async (era) => {
    const client = await connect(temporaryDatabase(SCHEMA), { era });
    expect(client.server.era).toBe(era);
    const result = await client.callTool('read_query', {
      query: 'SELECT name FROM users WHERE id = ?',
      params: [2],
    });
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toMatchObject({
      columns: [{ name: 'name', type: 'text' }],
      rows: [['Grace']],
      rowCount: 1,
      truncated: false,
    });
    expect(JSON.parse((result.content[0] as { text: string }).text)).toEqual(
      result.structuredContent,
    );
  });

  const reading = [
    'ask_database',
    'chart_query',
    'describe_table',
    'explain_query',
    'export_query',
    'list_tables',
    'predict_trend',
    'read_query',
  ];
  const writing = ['alter_schema', 'create_table', 'execute_batch', 'import_data', 'write_query'];
  const adding = ['create_table', 'import_data'];

  test('lists small tools with every hint and schema', async () => {
    const tools = await (await connect(temporaryDatabase(SCHEMA))).listTools();
    expect(tools.map((tool) => tool.name)).toEqual(
      [...reading, ...writing, 'append_insight'].toSorted(),
    );
    for (const tool of tools) {
      const isMemo = tool.name === 'append_insight';
      const isWriting = isMemo || writing.includes(tool.name);
      expect([tool.name, tool.annotations]).toEqual([
        tool.name,
        {
          readOnlyHint: !isWriting,
          destructiveHint: isWriting && !isMemo && !adding.includes(tool.name),
          idempotentHint: !isWriting,
          openWorldHint: false,
        },
      ]);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
    }
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(15_800);
  });

  test('offers only reading tools with readOnly', async () => {
    const client = await connect(temporaryDatabase(SCHEMA), { readOnly: true });
    expect((await client.listTools()).map((tool) => tool.name)).toEqual([
      'append_insight',
      ...reading,
    ]);
    await expect(client.callTool('write_query', { query: 'DELETE FROM users' })).rejects.toThrow(
      'write_query',
    );
  });

  test('gives results that conform to the published schemas', async () => {
    const client = await connect(
      temporaryDatabase(
        `${SCHEMA} CREATE VIEW broken AS SELECT * FROM gone; CREATE INDEX i ON users(lower(name)); CREATE VIRTUAL TABLE f USING fts5(x)`,
      ),
    );
    const calls = [
      client.callTool('list_tables', {}),
      client.callTool('list_tables', { includeViews: true }),
      ...['users', 'names', 'f', 'f_data'].map((name) =>
        client.callTool('describe_table', { table_name: name }),
      ),
      client.callTool('read_query', {
        query:
          "SELECT 1, 1.5, 'x', x'00', NULL, 9e999, 9223372036854775807, printf('%.*c', 100000, 'x')",
        limit: 1,
      }),
      client.callTool('read_query', { query: "VALUES (1), ('x')" }),
      client.callTool('explain_query', {
        query: 'SELECT * FROM users WHERE id IN (SELECT length(name) FROM names)',
      }),
      client.callTool('chart_query', { query: 'SELECT name, id, NULL FROM users', y: ['id'] }),
      client.callTool('predict_trend', {
        query:
          'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 20) SELECT x, x % 4 FROM n',
        include_history: true,
      }),
    ];
    const results = await Promise.all(calls);
    expect(results.map((result) => result.isError === true && result.content)).toEqual(
      Array(calls.length).fill(false),
    );
  });

  test('reports the problem of a call to the model', async () => {
    const client = await connect(temporaryDatabase(SCHEMA));
    const errorOf = async (name: string, args: { [key: string]: unknown }) => {
      const result = await client.callTool(name, args);
      return result.isError === true ? (result.content[0] as { text: string }).text : 'no error';
    };
    expect(await errorOf('read_query', { query: 'DELETE FROM users' })).toContain(
      'DELETE is not allowed',
    );
    expect(await errorOf('read_query', { query: 'SELECT age FROM users' })).toContain(
      'Existing columns: users.id, users.name',
    );
    expect(await errorOf('read_query', { query: 'SELECT ?', params: [] })).toContain('Too few');
    expect(await errorOf('read_query', { query: 'SELECT 1', params: 'x' })).toContain('params');
    expect(await errorOf('read_query', { query: 'SELECT 1', limit: 1001 })).toContain('limit');
    expect(await errorOf('read_query', { sql: 'SELECT 1' })).toContain('query');
    expect(await errorOf('describe_table', { table_name: 'user' })).toContain('Existing: users');
  });

  test('serves on when the file is no database', async () => {
    const path = join(dirname(temporaryDatabase()), 'text.db');
    writeFileSync(path, 'no database '.repeat(100));
    const client = await connect(path);
    expect(await client.callTool('list_tables', {})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('SQLITE_NOTADB') as string }],
    });
    expect(await client.listTools()).not.toHaveLength(0);
  });

  test.each(['legacy', 'modern'] as const)('draws a chart for a %s client', async (era) => {
    const client = await connect(temporaryDatabase(SCHEMA), { era });
    const { content, structuredContent } = await client.callTool('chart_query', {
      query: 'SELECT name, id FROM users WHERE id < ?',
      params: [3],
      title: 'Ids',
    });
    expect(structuredContent).toEqual({
      x: 'name',
      labels: ['Ada', 'Grace'],
      series: [{ name: 'id', values: [1, 2] }],
      truncated: false,
    });
    const [text, image] = content;
    expect(text).toEqual({ type: 'text', text: JSON.stringify(structuredContent) });
    expect(image).toMatchObject({ type: 'image', mimeType: 'image/svg+xml' });
    const svg = image?.type === 'image' ? Buffer.from(image.data, 'base64').toString() : '';
    expect(svg).toMatch(/^<svg .*>Ids<.*>Grace<.*<\/svg>$/);
    expect(await client.callTool('chart_query', { query: 'SELECT name FROM users' })).toMatchObject(
      {
        isError: true,
        content: [{ text: expect.stringContaining('no column of numbers') as string }],
      },
    );
  });

  test.each(['legacy', 'modern'] as const)('predicts a trend for a %s client', async (era) => {
    const client = await connect(
      temporaryDatabase(`CREATE TABLE sales(month TEXT, total REAL);
        WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n LIMIT 36)
        INSERT INTO sales SELECT date('2023-01-01', x || ' months'), 100 + 2 * x + 10 * (x % 12 = 11) FROM n`),
      { era },
    );
    const { structuredContent } = await client.callTool('predict_trend', {
      query: 'SELECT month, total FROM sales',
      horizon: 13,
      confidence_level: 0.9,
      methods: ['decomposition', 'linear_trend'],
      include_history: false,
    });
    expect(structuredContent).toMatchObject({
      method: 'decomposition',
      seasonLength: 12,
      step: '1 month',
      points: 36,
      filled: 0,
      error: { rmse: 0, mape: 0, coverage: 1 },
    });
    const { forecast } = structuredContent as {
      forecast: readonly { time: string; value: number }[];
    };
    expect(forecast).toHaveLength(13);
    expect(forecast[0]).toMatchObject({ time: '2026-01-01', value: 172 });
    expect(forecast[11]).toMatchObject({ time: '2026-12-01', value: 204 });
    const refused = await client.callTool('predict_trend', {
      query: "SELECT month, total FROM sales WHERE month <> '2023-05-01'",
    });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('2023-05-01. Set fill_gaps') as string }],
    });
  });

  test('leaves the database file as it was', async () => {
    const path = temporaryDatabase(SCHEMA);
    const before = { bytes: readFileSync(path), mtimeMs: statSync(path).mtimeMs };
    const client = await connect(path);
    for (const query of [
      'SELECT * FROM users',
      'REPLACE INTO users VALUES (1, 0)',
      'PRAGMA user_version = 7',
      'PRAGMA integrity_check',
    ])
      await client.callTool('read_query', { query });
    expect({ bytes: readFileSync(path), mtimeMs: statSync(path).mtimeMs }).toEqual(before);
  });

  test('logs how each call and each read of a resource ended', async () => {
    const lines: string[] = [];
    const client = await connect(temporaryDatabase(SCHEMA), { lines });
    await client.callTool('read_query', { query: 'SELECT 1' });
    await client.callTool('read_query', { query: 'DELETE FROM users' });
    await client.readResource('sqlite://main');
    expect(lines.map((line) => line.replace(/^\S+ /, '').replace(/\d+\n/, 'N'))).toEqual([
      'debug tool=read_query outcome=finished ms=N',
      'debug tool=read_query outcome=failed ms=N',
      'debug resource=sqlite://main outcome=finished ms=N',
    ]);
  });
});
