import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '@signalbox/server-kit';

/**
 * Returns the absolute path of the only database on the command line, given as a positional
 * argument or with `--db-path`.
 * @throws UsageError when none or more than one is named, or when there is no readable file.
 */
export function databasePath(option: string | undefined, positionals: readonly string[]): string {
  const [name, ...more] = option === undefined ? positionals : [option, ...positionals];
  if (name === undefined || name === '') throw new UsageError('name the database file');
  if (more.length > 0)
    throw new UsageError(
      `only one database file can be served, not also ${JSON.stringify(more[0])}`,
    );
  const path = resolve(name);
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined)
    throw new UsageError(
      `there is no database file ${path}; create an empty one with: sqlite3 ${JSON.stringify(path)} VACUUM`,
    );
  if (!file.isFile()) throw new UsageError(`${path} is not a file`);
  checkReadable(path);
  return path;
}

function checkReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new UsageError(`the database file ${path} cannot be read`, { cause: error });
  }
}
