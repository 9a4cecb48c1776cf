import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { eras, type Json, type StdioPeer } from '../stdio-peer.test.support.ts';
import { rowsOf, useFixture } from './fixture.test.support.ts';

const fixture = useFixture();
const folder = fixture.at('data');
const exported = path.join(folder, 'out');
const soon = { timeout: 60_000, interval: 5 };
/** More than the 16 MB that SQLite keeps in memory, so that it writes rows into the file before the commit. */
const CSV = `a,t\n${`1,${'x'.repeat(2000)}\n`.repeat(10_000)}0,last\n`;
/** The insertion of a 0 into `slow`, and a row of `endless`, need more steps than any machine completes. */
const ENDLESS = `CREATE VIEW endless AS SELECT count(*) AS a FROM wide a, wide b, wide c, wide d, wide e;
  CREATE TABLE slow(a INTEGER, t);
  CREATE TRIGGER r BEFORE INSERT ON slow WHEN NEW.a = 0 BEGIN SELECT a FROM endless; END`;

beforeAll(() => {
  mkdirSync(exported, { recursive: true });
  writeFileSync(path.join(folder, 'endless.csv'), CSV);
});

describe.each(eras)('a %s client', (era) => {
  let peer: StdioPeer;
  beforeAll(async () => {
    const limits = ['--timeout-ms', '3600000', '--data-dir', folder];
    peer = await fixture.start(era, ['--db-path', fixture.db, ...limits]);
  });
  const readOne = async () => rowsOf(await peer.call('read_query', { query: 'SELECT 1 one' }));

  /** Sends a call that does not end by itself, and returns its id. */
  function begin(name: string, args: Json): number {
    let begun = 0;
    void peer.request('tools/call', { name, arguments: args }, { onId: (id) => (begun = id) });
    return begun;
  }

  test('cancels an import, of which no row stays', async () => {
    const other = new Database(fixture.db);
    other.exec(ENDLESS);
    other.close();
    const { size } = statSync(fixture.db);
    const id = begin('import_data', { path: 'endless.csv', table: 'slow' });
    // Rows of the transaction are in the file.
    await vi.waitFor(
      () => expect(statSync(fixture.db).size).toBeGreaterThan(size + 1_000_000),
      soon,
    );
    peer.cancel(id);
    // Waits for the end of the writing process, and completes the rollback.
    const next = await peer.call('write_query', { query: 'INSERT INTO log VALUES (1)' });
    expect(next.structured).toMatchObject({ affectedRows: 1 });
    expect(fixture.values('SELECT count(*) FROM slow')).toEqual([0]);
    expect(fixture.values('SELECT count(*) FROM log WHERE text = 1')).toEqual([1]);
    expect(fixture.values('PRAGMA integrity_check')).toEqual(['ok']);
    expect(peer.hasAnswerPending(id)).toBe(true);
  });

  test('cancels an export, of which no file stays', async () => {
    const other = new Database(fixture.db);
    other.exec(ENDLESS);
    other.close();
    const sizes = () =>
      readdirSync(exported).map((name) => statSync(path.join(exported, name)).size);
    const query = `SELECT printf('%.1000c', 'x') FROM wide UNION ALL SELECT a FROM endless`;
    const id = begin('export_query', { query, path: 'out/made.csv' });
    await vi.waitFor(() => expect(sizes()[0]).toBeGreaterThan(1_000_000), soon);
    peer.cancel(id);
    await vi.waitFor(() => expect(sizes()).toEqual([]), soon);
    expect(await readOne()).toEqual([{ one: 1 }]);
    expect(peer.hasAnswerPending(id)).toBe(true);
  });
});
