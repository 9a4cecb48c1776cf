import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { eras, type Json } from '../stdio-peer.test.support.ts';
import { childrenOf, rowsOf, useFixture } from './fixture.test.support.ts';

const fixture = useFixture();
/** A row of `endless`, and the insertion of a 0 into `slow`, need more steps than any machine completes. */
const ENDLESS = `CREATE VIEW endless AS SELECT count(*) AS a FROM wide a, wide b, wide c, wide d, wide e;
  CREATE TABLE slow(a INTEGER);
  CREATE TRIGGER r AFTER INSERT ON slow WHEN NEW.a = 0 BEGIN SELECT a FROM endless; END`;
const NATIVE_MODULE = /\/.*\.node$/m;

/** Returns whether a process has a file of the database open, and whether it has loaded a native module, as SQLite is. */
function usesOf(pid: number): { readonly hasFile: boolean; readonly hasNativeModule: boolean } {
  const files = readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
    } catch {
      return ''; // Closed since it was listed.
    }
  });
  return {
    hasFile: files.some((file) => file.startsWith(fixture.db)),
    hasNativeModule: NATIVE_MODULE.test(readFileSync(`/proc/${pid}/maps`, 'latin1')),
  };
}

describe.runIf(process.platform === 'linux').each(eras)('the server of a %s client', (era) => {
  test.each(['WAL', 'DELETE'])(
    'never opens the database, as its query processes do (journal_mode %s)',
    async (mode) => {
      const other = new Database(fixture.db);
      other.exec(`PRAGMA journal_mode = ${mode}; ${ENDLESS}`);
      other.close();
      const args = ['--db-path', fixture.db, '--timeout-ms', '3600000'];
      const peer = await fixture.start(era, args);
      const { pid = 0 } = peer.child;
      const apart = { hasFile: false, hasNativeModule: false };
      const running: number[] = [];
      const begin = (name: string, callArgs: Json): void => {
        const params = { name, arguments: callArgs };
        void peer.request('tools/call', params, { onId: (id) => running.push(id) });
      };
      begin('read_query', { query: 'SELECT a FROM endless' });
      begin('import_data', { table: 'slow', rows: [[1], [0]] });
      for (const request of [
        () => peer.call('read_query', { query: 'SELECT count(*) n FROM users' }),
        () => peer.call('describe_table', { table_name: 'users' }),
        () => peer.call('export_query', { query: 'SELECT * FROM wide' }),
        () => peer.request('resources/read', { uri: 'sqlite://main/users' }),
        () => peer.request('prompts/get', { name: 'query_data', arguments: { question: 'Who?' } }),
      ]) {
        expect((await request()).error).toBeUndefined();
        expect(usesOf(pid)).toEqual(apart);
      }
      const uses = () => childrenOf(peer).map(usesOf);
      // Two read, and one writes.
      await vi.waitFor(
        () => {
          const opened = { hasFile: true, hasNativeModule: true };
          expect(uses()).toEqual([opened, opened, opened]);
        },
        { timeout: 60_000, interval: 5 },
      );
      expect(usesOf(pid)).toEqual(apart);
      expect(running.map((id) => peer.hasAnswerPending(id))).toEqual([true, true]);
      for (const id of running) peer.cancel(id);
      const written = await peer.call('write_query', { query: 'INSERT INTO slow VALUES (2)' });
      expect(written.structured).toMatchObject({ affectedRows: 1 });
      const read = await peer.call('read_query', { query: 'SELECT a FROM slow' });
      expect(rowsOf(read)).toEqual([{ a: 2 }]);
      expect(usesOf(pid)).toEqual(apart);
    },
  );
});
