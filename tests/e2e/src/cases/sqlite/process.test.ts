import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { eras, inFull, type CallOutcome, type StdioPeer } from '../stdio-peer.test.support.ts';
import { program, rowsOf, untilWithin, useFixture } from './fixture.test.support.ts';

const fixture = useFixture();
const RUNAWAY =
  'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c';

const TIME_LIMIT_MS = inFull ? 1000 : 500;

/**
 * A piece of a text of 700 MB, and the number of pieces. Longer pieces take less time, but the memory
 * must not grow much between two looks of the server at it.
 */
const [piece, pieces] = inFull
  ? ['x', 90_000_000]
  : ["'thirty-two characters in a piece'", 22_000_000];

const read = (peer: StdioPeer, query: string) => peer.call('read_query', { query });

/** Returns the largest resident memory of the children of a process so far, in MiB. */
function memoryOfChildren(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ');
  const peaks = children.filter(Boolean).map((child) => {
    try {
      const status = readFileSync(`/proc/${child}/status`, 'latin1');
      return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  });
  return Math.max(0, ...peaks);
}

describe.each(eras)('a %s client', (era) => {
  test('SQ-20 gets an error for a runaway query at its time limit, and other answers meanwhile', async () => {
    const peer = await fixture.start(era, [
      '--db-path',
      fixture.db,
      '--timeout-ms',
      `${TIME_LIMIT_MS}`,
    ]);
    await read(peer, 'SELECT 1');
    const { tookMs, listMs } = await untilWithin(
      { tookMs: TIME_LIMIT_MS + 600, listMs: 300 },
      async () => {
        const startedMs = performance.now();
        const [took, list] = await timesOf(peer, () => read(peer, RUNAWAY));
        expect(took.outcome).toMatchObject({
          isError: true,
          text: expect.stringContaining(`${TIME_LIMIT_MS} ms, its time limit`) as string,
        });
        expect(performance.now() - startedMs).toBeGreaterThanOrEqual(TIME_LIMIT_MS - 10);
        expect(list.isFirst).toBe(true);
        return { tookMs: took.ms, listMs: list.ms };
      },
    );
    expect(listMs).toBeLessThan(300);
    expect(tookMs).toBeLessThan(TIME_LIMIT_MS + 600);
    // On a loaded machine a small query can reach this time limit, too.
    await expect
      .poll(async () => (await read(peer, 'SELECT 1 one')).structured['rows'])
      .toEqual([[1]]);
  });

  test.runIf(process.platform === 'linux')(
    'SQ-24 gets an error for a query that needs too much memory, which stays bounded',
    async () => {
      const peer = await fixture.start(era, ['--db-path', fixture.db, '--max-memory-mb', '256']);
      let peakMib = 0;
      const sampler = setInterval(() => {
        peakMib = Math.max(peakMib, memoryOfChildren(peer.child.pid ?? 0));
      }, 5);
      for (const query of [
        `SELECT length(group_concat(${piece},'')) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT ${pieces}) SELECT x FROM c)`,
        'SELECT length(zeroblob(900000000))',
      ])
        expect([query, (await read(peer, query)).isError]).toEqual([query, true]);
      clearInterval(sampler);
      expect(peakMib).toBeGreaterThan(0);
      expect(peakMib).toBeLessThan(512);
      expect(peer.usage().peakMib).toBeLessThan(150);
      expect(rowsOf(await read(peer, 'SELECT 1 one'))).toEqual([{ one: 1 }]);
    },
  );

  test('SQ-35 finds no writing tools with --read-only, and the file unchanged', async () => {
    const before = { bytes: readFileSync(fixture.db), mtimeNs: mtimeOf(fixture.db) };
    const peer = await fixture.start(era, ['--db-path', fixture.db, '--read-only']);
    const { result } = await peer.request('tools/list');
    const names = ((result?.['tools'] ?? []) as readonly { readonly name: string }[]).map(
      ({ name }) => name,
    );
    expect(names).toContain('read_query');
    for (const tool of ['write_query', 'create_table', 'alter_schema', 'execute_batch'])
      expect(names).not.toContain(tool);
    const query = 'INSERT INTO orders VALUES(7,1,1)';
    expect((await peer.call('write_query', { query })).error).toMatchObject({ code: -32602 });
    expect(rowsOf(await read(peer, 'SELECT count(*) n FROM users'))).toEqual([{ n: 3 }]);
    expect({ bytes: readFileSync(fixture.db), mtimeNs: mtimeOf(fixture.db) }).toEqual(before);
  });

  test('SQ-36 gets an error for a locked database after the busy timeout, and other answers meanwhile', async () => {
    const peer = await fixture.start(era, ['--db-path', fixture.db, '--busy-timeout-ms', '300']);
    // The writing process has started.
    await peer.call('write_query', { query: 'INSERT INTO orders VALUES(7,1,1)' });
    const other = new Database(fixture.db);
    other.exec('BEGIN EXCLUSIVE');
    try {
      const query = 'INSERT INTO orders VALUES(8,1,1)';
      const { tookMs, listMs } = await untilWithin({ tookMs: 1000, listMs: 200 }, async () => {
        const startedMs = performance.now();
        const [took, list] = await timesOf(peer, () => peer.call('write_query', { query }));
        expect(took.outcome).toMatchObject({
          isError: true,
          text: expect.stringContaining('SQLITE_BUSY') as string,
        });
        expect(performance.now() - startedMs).toBeGreaterThanOrEqual(295);
        return { tookMs: took.ms, listMs: list.ms };
      });
      expect(listMs).toBeLessThan(200);
      expect(tookMs).toBeLessThan(1000);
    } finally {
      other.exec('ROLLBACK');
      other.close();
    }
  });

  test('SQ-37 gets an error for a file that is no database', async () => {
    const file = fixture.at('text.txt');
    writeFileSync(file, 'This is not a database. '.repeat(50));
    const peer = await fixture.start(era, ['--db-path', file]);
    const outcome = await read(peer, 'SELECT * FROM sqlite_schema');
    expect([outcome.isError, outcome.text]).toEqual([
      true,
      expect.stringContaining('not an SQLite database'),
    ]);
  });
});

test.each([
  [
    'a missing directory',
    ['nowhere/x.db'],
    /there is no directory .*nowhere for the database file/,
  ],
  ['a missing file', ['missing.db', '--read-only'], /there is no database file .*missing\.db/],
])('SQ-37 the server exits with one line for %s', (_, [name = '', ...options], line) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, '--db-path', fixture.at(name), ...options],
    { input: '', encoding: 'utf8' },
  );
  expect(status).not.toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toMatch(line);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

/** Times a call, and a request for the tools that is sent while it runs. */
async function timesOf(peer: StdioPeer, call: () => Promise<CallOutcome>) {
  let outcome: CallOutcome | undefined;
  const calling = peer.timed(async () => {
    outcome = await call();
  });
  let isFirst = false;
  const listing = peer.timed(async () => {
    expect((await peer.request('tools/list')).error).toBeUndefined();
    isFirst = outcome === undefined;
  });
  const [ms, listMs] = await Promise.all([calling, listing]);
  return [
    { ms, outcome },
    { ms: listMs, isFirst },
  ] as const;
}

function mtimeOf(file: string): bigint {
  return statSync(file, { bigint: true }).mtimeNs;
}
