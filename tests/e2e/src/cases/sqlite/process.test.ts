import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eras, inFull, type Json, type StdioPeer } from '../stdio-peer.test.support.ts';
import {
  childrenOf,
  clockLimitMs,
  program,
  rowsOf,
  secondsOf,
  sendTogether,
  useFixture,
} from './fixture.test.support.ts';

const fixture = useFixture();

/**
 * A piece of a text of 700 MB, and the number of pieces. Longer pieces take less time, but the memory
 * must not grow much between two looks of the server at it.
 */
const [piece, pieces] = inFull
  ? ['x', 90_000_000]
  : ["'thirty-two characters in a piece'", 22_000_000];

const read = (peer: StdioPeer, query: string) => peer.call('read_query', { query });

/** Returns the largest resident memory of the query processes of a server so far, in MiB. */
function memoryOfChildren(peer: StdioPeer): number {
  const peaks = childrenOf(peer).map((child) => {
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
  test.runIf(process.platform === 'linux')(
    'SQ-24 gets an error for a query that needs too much memory, which stays bounded',
    async () => {
      const limits = ['--max-memory-mb', '256', '--timeout-ms', '3600000'];
      // Without its own time limit the query may reach the default of 5 s before that of memory.
      const peer = await fixture.start(era, ['--db-path', fixture.db, ...limits]);
      let peakMib = 0;
      const sampler = setInterval(() => {
        peakMib = Math.max(peakMib, memoryOfChildren(peer));
      }, 5);
      onTestFinished(() => clearInterval(sampler));
      const group = `SELECT length(group_concat(${piece},'')) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT ${pieces}) SELECT x FROM c)`;
      for (const [query, message] of [
        [group, 'needed more than 256 MB, its memory limit'],
        // Larger than any value of SQLite, which says so at once.
        ['SELECT length(zeroblob(900000000))', 'SQLITE_TOOBIG'],
      ] as const) {
        const { isError, text } = await read(peer, query);
        expect([query, isError, text]).toEqual([query, true, expect.stringContaining(message)]);
      }
      clearInterval(sampler);
      // The process grew, and was stopped not far above its limit.
      expect(peakMib).toBeGreaterThan(128);
      expect(peakMib).toBeLessThan(512);
      expect(peer.usage().peakMib).toBeLessThan(150);
      expect(rowsOf(await read(peer, 'SELECT 1 one'))).toEqual([{ one: 1 }]);
    },
  );

  test('SQ-35 finds no writing tools with --read-only, and the file unchanged', async () => {
    const before = { bytes: readFileSync(fixture.db), mtimeNs: mtimeOf(fixture.db) };
    const peer = await fixture.start(era, ['--db-path', fixture.db, '--read-only']);
    const tools = await toolsOf(peer);
    expect(tools).toContainEqual(['read_query', true]);
    // The memo is not part of the database.
    expect(tools.filter(([, isReading]) => !isReading)).toEqual([['append_insight', false]]);
    for (const tool of [
      'write_query',
      'create_table',
      'alter_schema',
      'execute_batch',
      'import_data',
    ]) {
      expect(tools).not.toContainEqual([tool, expect.anything()]);
      expect([tool, (await peer.call(tool, argumentsOf(tool))).error]).toMatchObject([
        tool,
        { code: -32602, message: expect.stringContaining('Unknown tool') as string },
      ]);
    }
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
      const progressToken = 'locked';
      const { outcome, tookMs, listMs, isListFirst } = await sendTogether(peer, () =>
        peer.call('write_query', { query }, { progressToken }),
      );
      expect(outcome).toMatchObject({
        isError: true,
        text: expect.stringContaining('SQLITE_BUSY') as string,
      });
      expect(isListFirst).toBe(true);
      expect(listMs).toBeLessThan(clockLimitMs(200));
      expect(tookMs).toBeGreaterThanOrEqual(295);
      expect(tookMs).toBeLessThan(clockLimitMs(1000));
      // The server reports each second of a write; without the option it waits for four.
      expect(secondsOf(peer, progressToken)).not.toContain(3);
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

/** Returns the names of the tools, and whether each only reads. */
async function toolsOf(peer: StdioPeer): Promise<(readonly [name: string, isReading: boolean])[]> {
  const { result } = await peer.request('tools/list');
  const tools = result?.['tools'] as readonly {
    readonly name: string;
    readonly annotations: { readonly readOnlyHint: boolean };
  }[];
  return tools.map(({ name, annotations }) => [name, annotations.readOnlyHint]);
}

/** Returns arguments of a call that would change the database. */
function argumentsOf(tool: string): Json {
  const query = 'INSERT INTO orders VALUES(7,1,1)';
  switch (tool) {
    case 'import_data':
      return { table: 'orders', rows: [{ id: 7, user_id: 1, total: 1 }] };
    case 'execute_batch':
      return { statements: [{ query }] };
    case 'create_table':
      return { query: 'CREATE TABLE made(a)' };
    case 'alter_schema':
      return { query: 'CREATE INDEX made ON users(name)' };
    default:
      return { query };
  }
}

function mtimeOf(file: string): bigint {
  return statSync(file, { bigint: true }).mtimeNs;
}
