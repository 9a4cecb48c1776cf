import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLogger } from '@signalbox/server-kit';
import { unprivilegedNode } from '@signalbox/server-kit/testing';
import { describe, expect, test } from 'vitest';
import { command } from './command.ts';
import { temporaryDatabase } from './testing/temporary-database.ts';

/**
 * Returns the error of `start` for these options and arguments, and closes a server that starts.
 */
async function problemOf(
  values: { readonly [option: string]: string },
  ...positionals: readonly string[]
): Promise<string> {
  try {
    const started = await command.start({
      values,
      positionals,
      env: {},
      log: createLogger('error'),
    });
    await started.close?.();
    return 'none';
  } catch (error) {
    return String(error);
  }
}

describe('the command', () => {
  const [node, ...options] = unprivilegedNode() ?? [];

  test('names every option in its help', () => {
    for (const option of Object.keys(command.options))
      expect(command.usage).toContain(`--${option} `);
  });

  test('takes the database as an argument or as an option', async () => {
    const path = temporaryDatabase();
    expect([await problemOf({}, path), await problemOf({ 'db-path': path })]).toEqual([
      'none',
      'none',
    ]);
  });

  test.each([
    [{}, [], 'name the database file'],
    [{}, [''], 'name the database file'],
    [
      {},
      ['/nowhere/at-all.db'],
      'there is no database file /nowhere/at-all.db; create an empty one with: sqlite3 "/nowhere/at-all.db" VACUUM',
    ],
    [
      { 'db-path': '/nowhere/a.db' },
      ['/nowhere/b.db'],
      'only one database file can be served, not also "/nowhere/b.db"',
    ],
    [{ 'max-rows': '0' }, ['x.db'], '--max-rows must be a whole number from 1 to 100000, not "0"'],
    [
      { 'max-memory-mb': '64' },
      ['x.db'],
      '--max-memory-mb must be a whole number from 128 to 65536, not "64"',
    ],
  ])('refuses %j %j', async (values, positionals, problem) => {
    expect(await problemOf(values, ...positionals)).toBe(`UsageError: ${problem}`);
  });

  test('refuses a folder', async () => {
    const folder = join(dirname(temporaryDatabase()), 'folder');
    mkdirSync(folder);
    expect(await problemOf({}, folder)).toBe(`UsageError: ${folder} is not a file`);
  });

  test.skipIf(node === undefined)('refuses a file it may not read', () => {
    const path = join(dirname(temporaryDatabase()), 'closed.db');
    writeFileSync(path, '');
    chmodSync(path, 0);
    const main = join(import.meta.dirname, 'main.ts');
    const { status, stderr } = spawnSync(
      node ?? '',
      [...options, '--conditions=@signalbox/source', main, path],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe(
      `signalbox-sqlite: the database file ${path} cannot be read (see signalbox-sqlite --help)\n`,
    );
    expect(status).toBe(1);
  });
});
