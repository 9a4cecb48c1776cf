import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { eras, type CallOutcome, type Json, type StdioPeer } from '../stdio-peer.test.support.ts';
import { useFixture } from './fixture.test.support.ts';

const fixture = useFixture();
const folder = fixture.at('data');

beforeAll(() => {
  mkdirSync(folder);
  writeFileSync(path.join(fixture.out, 'secret.csv'), 'p\nPW\n');
  symlinkSync(path.join(fixture.out, 'secret.csv'), path.join(folder, 'link.csv'));
  symlinkSync(fixture.out, path.join(folder, 'dir'));
  symlinkSync(path.join(fixture.out, 'made.csv'), path.join(folder, 'dangling.csv'));
  execFileSync('mkfifo', [path.join(folder, 'fifo.csv')]);
});

describe.each(eras)('a %s client', (era) => {
  let peer: StdioPeer;
  beforeAll(async () => {
    peer = await fixture.start(era, ['--db-path', fixture.db, '--data-dir', folder]);
  });
  const call = (tool: string, args: Json): Promise<CallOutcome> => peer.call(tool, args);

  test('SQ-07 writes no file with VACUUM INTO or ATTACH, with any tool', async () => {
    const made = path.join(fixture.out, 'made.db');
    for (const query of [`VACUUM INTO '${made}'`, `ATTACH '${made}' AS c`])
      for (const [tool, args] of [
        ['read_query', { query }],
        ['write_query', { query }],
        ['alter_schema', { query }],
        ['execute_batch', { statements: [{ query }] }],
        ['export_query', { query }],
        ['export_query', { query, path: 'made.csv' }],
      ] as const)
        expect([tool, (await call(tool, args)).isError]).toEqual([tool, true]);
    expect(readdirSync(fixture.out).toSorted()).toEqual(['secret.csv', 'secret.db']);
    expect(existsSync(path.join(folder, 'made.csv'))).toBe(false);
  });

  test('SQ-38 imports and exports below the data directory only', async () => {
    const secret = path.join(fixture.out, 'secret.csv');
    const sources = [
      '../out/secret.csv',
      secret,
      'link.csv',
      'dir/secret.csv',
      'fifo.csv',
      '/dev/zero',
      '/proc/self/environ',
      fixture.db,
      '.',
    ];
    for (const source of sources) {
      const outcome = await call('import_data', {
        path: source,
        table: 'stolen',
        createTable: true,
      });
      expect([source, outcome.isError]).toEqual([source, true]);
      expect(JSON.stringify(outcome)).not.toContain('PW');
    }
    const targets = [
      '../out/made.csv',
      path.join(fixture.out, 'made.csv'),
      'dir/made.csv',
      'dangling.csv',
      '../data.db',
      '/dev/null',
      'missing/made.csv',
    ];
    for (const target of targets) {
      const outcome = await call('export_query', {
        query: 'SELECT 1',
        path: target,
        overwrite: true,
      });
      expect([target, outcome.isError]).toEqual([target, true]);
    }
    expect(readdirSync(fixture.out).toSorted()).toEqual(['secret.csv', 'secret.db']);
    expect(readFileSync(secret, 'utf8')).toBe('p\nPW\n');
    expect(fixture.values("SELECT count(*) FROM sqlite_schema WHERE name = 'stolen'")).toEqual([0]);
  });

  test('SQ-38 refuses every file path without a data directory', async () => {
    const bare = await fixture.peer(era);
    for (const [tool, args] of [
      ['import_data', { path: 'link.csv', table: 't', createTable: true }],
      ['export_query', { query: 'SELECT 1', path: 'made.csv' }],
    ] as const) {
      const { isError, text } = await bare.call(tool, args);
      expect([tool, isError, text]).toEqual([tool, true, expect.stringContaining('--data-dir')]);
    }
  });

  test('exports a table and imports it again, exactly and with progress', async () => {
    for (const format of ['csv', 'json', 'ndjson']) {
      const file = `${era}.${format}`;
      const exported = await call('export_query', {
        query: 'SELECT * FROM wide',
        format,
        path: file,
      });
      expect(exported.structured).toMatchObject({ rows: 5000, truncated: false });
      const token = `${era}-${format}`;
      const imported = await peer.call(
        'import_data',
        { path: file, table: `again_${format}`, createTable: true },
        { progressToken: token },
      );
      expect(imported.structured).toMatchObject({
        rows: 5000,
        created: [
          { name: 'id', type: 'INTEGER' },
          { name: 't', type: 'TEXT' },
        ],
      });
      const progress = peer.notifications
        .map((each) => each['params'] as Json)
        .filter((params) => params['progressToken'] === token)
        .map((params) => Number(params['progress']));
      expect(progress.length).toBeGreaterThan(0);
      expect(progress).toEqual([...new Set(progress)].toSorted((a, b) => a - b));
      expect(
        fixture.values(`SELECT count(*) FROM again_${format} JOIN wide USING (id, t)`),
      ).toEqual([5000]);
    }
  });
});
