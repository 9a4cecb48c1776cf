import { describe, expect, test } from 'vitest';
import { eras, type StdioPeer } from '../stdio-peer.test.support.ts';
import { clockLimitMs, processorMs, rowsOf, useFixture } from './fixture.test.support.ts';

const fixture = useFixture();

describe.each(eras)('a %s client', (era) => {
  const read = async (query: string, peer?: StdioPeer) =>
    (peer ?? (await fixture.peer(era))).call('read_query', { query });

  test('SQ-14 gets 64-bit integers exactly', async () => {
    const outcome = await read('SELECT big FROM users ORDER BY id');
    expect(rowsOf(outcome).slice(0, 2)).toEqual([
      { big: '9007199254740993' },
      { big: '-9223372036854775808' },
    ]);
    expect(outcome.structured['columns']).toEqual([{ name: 'big', type: 'int64' }]);
    const peer = await fixture.peer(era);
    const inserted = await peer.call('write_query', {
      query: "INSERT INTO users(id,name) VALUES(9223372036854775807,'m')",
    });
    expect(inserted.structured).toEqual({
      affectedRows: 1,
      lastInsertRowid: '9223372036854775807',
    });
  });

  test('SQ-15 gets BLOB, NULL, REAL and infinity', async () => {
    expect(rowsOf(await read("SELECT x'00ff' b, NULL n, 1.5 r, 9e999 i"))).toEqual([
      { b: { $blob: 'AP8=', bytes: 2 }, n: null, r: 1.5, i: 'Infinity' },
    ]);
  });

  test('SQ-19 gets huge values cut, in results of at most 1 MiB', async () => {
    const peer = await fixture.peer(era);
    const [text] = rowsOf(await read("SELECT printf('%.*c',5000000,'x') t", peer));
    expect(text).toMatchObject({ t: { bytes: 5_000_000, truncated: true } });
    const [blob] = rowsOf(await read('SELECT zeroblob(50000000) b', peer));
    expect(blob).toMatchObject({ b: { bytes: 50_000_000, truncated: true } });
    const many = await read("SELECT printf('%.*c',200000,'x') FROM wide", peer);
    expect(many.structured).toMatchObject({ truncated: true });
    const cells = (many.structured['rows'] as readonly (readonly unknown[])[]).flat();
    expect(cells).toEqual(
      cells.map(() => expect.objectContaining({ bytes: 200_000, truncated: true }) as unknown),
    );
    expect(cells.length).toBeGreaterThan(0);
    expect(peer.longestLine).toBeLessThanOrEqual(1024 * 1024);
  });

  test('gets an answer to a line of 10 MiB, as value and as statement, and further answers', async () => {
    const peer = await fixture.peer(era);
    const long = 'x'.repeat(10 * 2 ** 20);
    const args = { table: 'log', rows: [[long]] };
    expect((await peer.call('import_data', args)).structured).toMatchObject({ rows: 1 });
    expect(fixture.values('SELECT max(length(text)) FROM log')).toEqual([long.length]);
    const stored = await read('SELECT text FROM log WHERE length(text) > 100');
    expect(rowsOf(stored)).toMatchObject([{ text: { bytes: long.length, truncated: true } }]);
    const refused = await read(`SELECT '${long}'`);
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('1000000')]);
    expect(rowsOf(await read('SELECT 1 one'))).toEqual([{ one: 1 }]);
    expect(peer.longestLine).toBeLessThanOrEqual(1024 * 1024);
    expect(peer.badLines).toEqual([]);
  });

  test('SQ-22 gets the first 1000 rows of an endless stream, with little work', async () => {
    const peer = await fixture.peer(era);
    await read('SELECT 1');
    const startedMs = performance.now();
    const usedMs = processorMs(peer);
    const { structured } = await read(
      'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c',
    );
    expect(structured).toMatchObject({ rowCount: 1000, truncated: true });
    expect(processorMs(peer) - usedMs).toBeLessThan(1000);
    expect(performance.now() - startedMs).toBeLessThan(clockLimitMs(1000));
  });
});
