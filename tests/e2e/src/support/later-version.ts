// The service as a later version: LATER_MIGRATIONS has the names of its further migrations, separated by commas. Each adds a column to the table of runs.
import { createProcessIo, runCommand, type TestHooks } from '@signalbox/agent';

/** The part of Kysely's database that the migrations use. */
interface Tables {
  readonly schema: {
    alterTable(table: string): {
      addColumn(name: string, type: string): { execute(): Promise<void> };
    };
  };
}

const names = (process.env['LATER_MIGRATIONS'] ?? '').split(',');

const furtherMigrations: TestHooks['furtherMigrations'] = Object.fromEntries(
  names.map((name, index) => [
    name,
    {
      up: (db) =>
        (db as Tables).schema.alterTable('runs').addColumn(`later_${index}`, 'text').execute(),
    },
  ]),
);

process.exitCode = await runCommand(
  createProcessIo(process),
  {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    repository: process.cwd(),
    version: '0.0.0-later',
  },
  { furtherMigrations },
);
