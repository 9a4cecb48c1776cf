import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@signalbox/mcp-core';

/** A tool call. */
export interface Call extends JsonObject {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A program that serves a database over stdio. */
export interface SqliteServer {
  readonly name: string;
  readonly program: string;
  readonly programArguments: (database: string, timeoutMs: number) => readonly string[];
  /** Calls before the first query. */
  readonly prepare: (database: string) => readonly Call[];
  readonly read: (query: string) => Call;
  /** Imports a CSV file into a new table; absent without such a tool. */
  readonly importCsv?: (file: string, table: string) => Call;
}

const allServers: readonly SqliteServer[] = [
  {
    name: 'signalbox',
    program: pathOf('../../../servers/sqlite/bin.js'),
    programArguments: (database, timeoutMs) => [
      database,
      '--data-dir',
      dirname(database),
      '--timeout-ms',
      String(timeoutMs),
    ],
    prepare: () => [],
    read: (query) => ({ name: 'read_query', arguments: { query } }),
    importCsv: (file, table) => ({
      name: 'import_data',
      arguments: { path: basename(file), table, createTable: true },
    }),
  },
  {
    name: 'dbhub',
    program: peer('@bytebase/dbhub/dist/index.js'),
    programArguments: (database) => ['--transport', 'stdio', '--dsn', `sqlite://${database}`],
    prepare: () => [],
    read: (query) => ({ name: 'execute_sql', arguments: { sql: query } }),
  },
  {
    name: 'sqlite-tools',
    program: peer('mcp-sqlite-tools/dist/index.js'),
    programArguments: () => [],
    prepare: (database) => [{ name: 'open_database', arguments: { path: database } }],
    read: (query) => ({ name: 'execute_read_query', arguments: { query } }),
    importCsv: (file, table) => ({ name: 'import_csv', arguments: { file_path: file, table } }),
  },
  {
    name: 'sqlite-npx',
    program: peer('mcp-server-sqlite-npx/dist/index.js'),
    programArguments: (database) => [database],
    prepare: () => [],
    read: (query) => ({ name: 'read_query', arguments: { query } }),
  },
];

/** The servers that are installed: the native module of the last one is compiled, where that is possible. */
export const sqliteServers: readonly SqliteServer[] = allServers.filter(({ program }) =>
  existsSync(program),
);

/** Our server. */
export const OURS = 'signalbox';

function peer(path: string): string {
  return pathOf(`../../../tests/sqlite-servers/node_modules/${path}`);
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
