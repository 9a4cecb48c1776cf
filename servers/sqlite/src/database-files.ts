import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '@signalbox/server-kit';

export interface DatabaseFilesInput {
  /** Values of `--db`, each `NAME=FILE`. */
  readonly named: readonly string[];
  /** Value of `--db-path`. */
  readonly path: string | undefined;
  readonly positionals: readonly string[];
  readonly readOnly: boolean;
  /** Whether missing files are an error, as they are with `readOnly`. */
  readonly mustExist: boolean;
}

const NAME = /^[A-Za-z][\w-]{0,63}$/;

/**
 * Returns the absolute paths of the databases of the command line by name: `main` for a positional
 * argument or `--db-path`, then those of `--db`. Creates missing files, empty.
 * @throws UsageError when none is named, a name is wrong or used twice, or a file cannot be used
 */
export function databaseFiles(input: DatabaseFilesInput): { readonly [name: string]: string } {
  const { named, path, positionals } = input;
  const [main, ...more] = path === undefined ? positionals : [path, ...positionals];
  if (more.length > 0)
    throw new UsageError(
      `only one database can be given without a name, not also ${JSON.stringify(more[0])}; use --db NAME=FILE`,
    );
  const files: (readonly [name: string, file: string])[] = [
    ...(main === undefined ? [] : [['main', main] as const]),
    ...named.map(parseNamed),
  ];
  if (files.length === 0 || main === '') throw new UsageError('name the database file');
  const names = files.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw new UsageError(`the database name ${repeated} is given twice; give each file its own`);
  const notAFile = files.map(([, file]) => file).find((file) => /^(?::memory:$|file:)/.test(file));
  if (notAFile !== undefined)
    throw new UsageError(
      `${notAFile} is not the name of a file: databases in memory and file: addresses cannot be served`,
    );
  return Object.fromEntries(files.map(([name, file]) => [name, usableFile(resolve(file), input)]));
}

function parseNamed(value: string): readonly [name: string, file: string] {
  const [, name = '', file = ''] = /^([^=]*)=(.*)$/s.exec(value) ?? [];
  if (!NAME.test(name) || file === '')
    throw new UsageError(
      `--db must be NAME=FILE with a NAME of letters, digits, _ and -, not ${JSON.stringify(value)}`,
    );
  return [name, file];
}

function usableFile(path: string, { readOnly, mustExist }: DatabaseFilesInput): string {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) {
    if (mustExist || readOnly)
      throw new UsageError(
        `there is no database file ${path}; start without ${readOnly ? '--read-only' : '--must-exist'} to create it`,
      );
    create(path);
    return path;
  }
  if (!file.isFile()) throw new UsageError(`${path} is not a file`);
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new UsageError(`the database file ${path} cannot be read`, { cause: error });
  }
  return path;
}

/** Creates an empty file, which is an empty database. */
function create(path: string): void {
  try {
    closeSync(openSync(path, 'ax'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return;
    throw new UsageError(
      code === 'ENOENT'
        ? `there is no directory ${dirname(path)} for the database file ${path}; create it first`
        : `the database file ${path} cannot be created: ${String(code)}`,
      { cause: error },
    );
  }
}
