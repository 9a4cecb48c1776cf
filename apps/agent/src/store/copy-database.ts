import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { messageOf } from '../text/error-text.ts';
import { StoreError } from './store-error.ts';

const FILE = 'signalbox.sqlite';

/**
 * Copies the database of a data directory into a new directory. A service may be using the source,
 * which is not changed.
 * @throws StoreError `unusable`
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const [source, copy] = [join(from, FILE), join(to, FILE)];
  if (!existsSync(source))
    throw new StoreError(
      'unusable',
      `There is no database in ${from}. Name the data directory of the service with --data-dir.`,
    );
  mkdirSync(to, { recursive: true, mode: 0o700 });
  try {
    // Opening an unused database would leave files beside it.
    if (existsSync(`${source}-wal`)) await backUp(source, copy);
    else copyFileSync(source, copy);
    chmodSync(copy, 0o600);
  } catch (error) {
    throw new StoreError(
      'unusable',
      `The database in ${from} cannot be copied (${messageOf(error)}).`,
      { cause: error },
    );
  }
}

async function backUp(source: string, copy: string): Promise<void> {
  const database = new Sqlite(source, { readonly: true });
  try {
    await database.backup(copy);
  } finally {
    database.close();
  }
}
