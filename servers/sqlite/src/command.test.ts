import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
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
  values: Parameters<typeof command.start>[0]['values'],
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

const NAME_PROBLEM = (value: string) =>
  `--db must be NAME=FILE with a NAME of letters, digits, _ and -, not ${JSON.stringify(value)}`;

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

  test('creates missing files, empty, and takes several databases by name', async () => {
    const folder = dirname(temporaryDatabase());
    const [a, b] = [join(folder, 'a.db'), join(folder, 'b=c.db')];
    expect(await problemOf({ db: [`one=${a}`, `two=${b}`] })).toBe('none');
    expect([a, b].map((path) => statSync(path).size)).toEqual([0, 0]);
  });

  test.each([
    [{}, [], 'name the database file'],
    [{}, [''], 'name the database file'],
    [
      {},
      ['/nowhere/at-all.db'],
      'there is no directory /nowhere for the database file /nowhere/at-all.db; create it first',
    ],
    [
      { 'db-path': '/nowhere/a.db' },
      ['/nowhere/b.db'],
      'only one database can be given without a name, not also "/nowhere/b.db"; use --db NAME=FILE',
    ],
    [{ db: ['/nowhere/a.db'] }, [], NAME_PROBLEM('/nowhere/a.db')],
    [{ db: ['1=/nowhere/a.db'] }, [], NAME_PROBLEM('1=/nowhere/a.db')],
    [{ db: ['a='] }, [], NAME_PROBLEM('a=')],
    [
      { db: ['main=b.db'] },
      ['a.db'],
      'the database name main is given twice; give each file its own',
    ],
    [
      { 'read-only': true },
      ['/nowhere/a.db'],
      'there is no database file /nowhere/a.db; start without --read-only to create it',
    ],
    [
      { 'must-exist': true },
      ['/nowhere/a.db'],
      'there is no database file /nowhere/a.db; start without --must-exist to create it',
    ],
    [
      {},
      [':memory:'],
      ':memory: is not the name of a file: databases in memory and file: addresses cannot be served',
    ],
    [{ confirm: 'yes' }, ['a.db'], '--confirm must be one of auto, always, never, not "yes"'],
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
