import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connect, shareServer, type ClientOptions } from '../testing/connect.ts';
import { sharedDatabase, temporaryDatabase } from '../testing/temporary-database.ts';

const path = sharedDatabase(`CREATE TABLE t(i, r, s, b);
  INSERT INTO t VALUES (1, 1.5, 'a,"b"' || char(10) || 'c', x'00ff'), (9223372036854775807, 9e999, '', NULL), (NULL, NULL, NULL, NULL), (4, 0.1, '=1+1', x'')`);
const folder = join(dirname(path), 'data');
mkdirSync(folder);
const connectShared = shareServer(path, { dataDirectory: folder });

async function exportQuery(args: object, options: ClientOptions = {}) {
  const client = await connectShared(options);
  const {
    isError = false,
    structuredContent,
    content,
  } = await client.callTool('export_query', {
    query: 'SELECT * FROM t',
    ...args,
  });
  const result = structuredContent as {
    readonly text: string;
    readonly rows: number;
    readonly bytes: number;
    readonly truncated: boolean;
    readonly note?: string;
    readonly confirmToken?: string;
  };
  return { isError, result, text: (content[0] as { text: string }).text };
}

describe('export_query', () => {
  test('writes CSV that tells NULL from an empty text', async () => {
    const { result } = await exportQuery({});
    expect(result).toEqual({
      text: 'i,r,s,b\n1,1.5,"a,""b""\nc",AP8=\n9223372036854775807,Infinity,"",\n,,,\n4,0.1,=1+1,\n',
      rows: 4,
      bytes: 80,
      truncated: false,
      note: expect.stringContaining('1 texts begin with = + - or @') as string,
    });
  });

  test('notes the empty lines of a single column, which an import skips', async () => {
    const { result } = await exportQuery({ query: 'SELECT s FROM t WHERE i IS NOT 4' });
    expect(result.text).toBe('s\n"a,""b""\nc"\n""\n\n');
    expect(result.note).toContain('1 rows are empty lines');
    expect((await exportQuery({ query: 'SELECT NULL, NULL' })).result.note).toBeUndefined();
  });

  test('escapes formulas on request, and takes another delimiter', async () => {
    const { result } = await exportQuery({
      query: "SELECT '=1' AS a, '-x' AS \"@b\", -5 AS c, 'x;y' AS d",
      escapeFormulas: true,
      delimiter: ';',
    });
    expect(result.text).toBe(`a;'@b;c;d\n'=1;'-x;-5;"x;y"\n`);
  });

  test('writes JSON that import_data reads back', async () => {
    const { result } = await exportQuery({ format: 'json' });
    expect(JSON.parse(result.text)).toEqual([
      { i: 1, r: 1.5, s: 'a,"b"\nc', b: { $blob: 'AP8=' } },
      { i: { $int64: '9223372036854775807' }, r: 'Infinity', s: '', b: null },
      { i: null, r: null, s: null, b: null },
      { i: 4, r: 0.1, s: '=1+1', b: { $blob: '' } },
    ]);
    const lines = (await exportQuery({ format: 'ndjson' })).result.text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(JSON.parse(result.text));
    expect((await exportQuery({ query: 'SELECT 1 WHERE 0', format: 'json' })).result.text).toBe(
      '[]\n',
    );
    const repeated = await exportQuery({ query: 'SELECT 1 AS a, 2 AS a', format: 'json' });
    expect(repeated.text).toContain('rename one with AS');
  });

  test('a result is cut at whole rows, a file is not', async () => {
    const query =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 20000) SELECT x, printf('%.100c', 'y') AS y FROM c";
    const { result } = await exportQuery({ query, format: 'json' });
    expect(result.truncated).toBe(true);
    expect(JSON.parse(result.text)).toHaveLength(result.rows);
    expect(result.note).toContain('export to a path');
    const file = await exportQuery({ query, path: 'big.csv' });
    expect(file.result).toMatchObject({ rows: 20_000, truncated: false });
    expect(file.result.bytes).toBe(statSync(join(folder, 'big.csv')).size);
    expect(readFileSync(join(folder, 'big.csv'), 'utf8').split('\n')).toHaveLength(20_002);
  });

  test('replaces a file only with overwrite, after a confirmation', async () => {
    const file = join(folder, 'kept.csv');
    writeFileSync(file, 'old');
    const refused = await exportQuery({ path: 'kept.csv' });
    expect(refused.text).toContain('already exists; nothing was written. Set overwrite');
    const messages: string[] = [];
    const declined = await exportQuery(
      { path: 'kept.csv', overwrite: true },
      { elicit: (message) => (messages.push(message), 'decline') },
    );
    expect([declined.isError, messages.join()]).toEqual([
      true,
      expect.stringContaining('kept.csv'),
    ]);
    const asked = await exportQuery({ path: 'kept.csv', overwrite: true });
    const { confirmToken } = asked.result;
    expect(readFileSync(file, 'utf8')).toBe('old');
    const other = await exportQuery({
      path: 'kept.csv',
      overwrite: true,
      format: 'json',
      confirmToken,
    });
    expect(other.isError).toBe(true);
    const again = await exportQuery({ path: 'kept.csv', overwrite: true });
    const done = await exportQuery({
      path: 'kept.csv',
      overwrite: true,
      confirmToken: again.result.confirmToken,
    });
    expect([done.isError, readFileSync(file, 'utf8').slice(0, 8)]).toEqual([false, 'i,r,s,b\n']);
    const fresh = await exportQuery({ path: 'fresh.csv', overwrite: true });
    expect(fresh.isError).toBe(false);
  });

  test('changes nothing, and leaves no file after an error', async () => {
    const before = readdirSync(folder).toSorted();
    for (const query of [
      'DELETE FROM t',
      "VACUUM INTO 'x.db'",
      'SELECT * FROM missing',
      'SELECT 1; SELECT 2',
    ])
      expect((await exportQuery({ query, path: 'none.csv' })).isError).toBe(true);
    const late = 'SELECT abs(x) FROM (SELECT 1 AS x UNION ALL SELECT -9223372036854775808)';
    expect((await exportQuery({ query: late, path: 'none.csv' })).isError).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(before);
  });

  test('does not leave the data directory', async () => {
    const base = dirname(path);
    symlinkSync(base, join(folder, 'up'));
    symlinkSync(join(base, 'created.csv'), join(folder, 'dangling.csv'));
    const names = [
      '../created.csv',
      join(base, 'created.csv'),
      'up/created.csv',
      'dangling.csv',
      'missing/x.csv',
      '.',
      '/dev/null',
    ];
    for (const name of names)
      expect([name, (await exportQuery({ path: name, overwrite: true })).isError]).toEqual([
        name,
        true,
      ]);
    expect(readdirSync(base)).not.toContain('created.csv');
  });

  test('a read-only server exports text and no file', async () => {
    const own = temporaryDatabase('CREATE TABLE t(a)');
    const client = await connect(own, { readOnly: true, dataDirectory: dirname(own) });
    const tool = (await client.listTools()).find(({ name }) => name === 'export_query');
    expect(tool?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    const file = await client.callTool('export_query', { query: 'SELECT 1', path: 'a.csv' });
    expect(file.isError).toBe(true);
    expect(readdirSync(dirname(own))).toEqual(['test.db']);
  });
});
