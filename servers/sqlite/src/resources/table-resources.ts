import { stat } from 'node:fs/promises';
import {
  ErrorCode,
  ProtocolError,
  ResourceNotFoundError,
  ToolError,
  type Resource,
} from '@signalbox/mcp-core';
import {
  defineResourceTemplate,
  type ResourceTemplateDefinition,
} from '@signalbox/mcp-core/server';
import { fileTime } from '@signalbox/server-kit';
import type { Databases, ServedDatabase } from '../databases.ts';
import { compactJson } from '../executor/compact-json.ts';
import { completeNames } from './complete-names.ts';
import { schemaUri, tableUri } from './table-uri.ts';

const MIME_TYPE = 'application/json';

/** Returns the template `sqlite://{db}`, whose resources are the schemas of the databases. */
export function schemaTemplate(databases: Databases): ResourceTemplateDefinition {
  return defineResourceTemplate({
    uriTemplate: 'sqlite://{db}',
    name: 'schema',
    title: 'Database schema',
    description: 'Tables and views with their columns, as list_tables gives them',
    mimeType: MIME_TYPE,
    list: () =>
      Promise.all(
        databases.names.map(async (name) => ({
          uri: schemaUri(name),
          name,
          title: `Schema of ${name}`,
          mimeType: MIME_TYPE,
          ...(await lastModified(databases.get(name))),
        })),
      ),
    read: async ({ db }, uri, { signal }) => {
      const { readers } = existing(databases, db, uri);
      return compactJson(
        await asProtocolError(() => readers.run('list-tables', { includeViews: true }, signal)),
      );
    },
    complete: { db: (typed) => completeNames(typed, databases.names) },
  });
}

/** Returns the template `sqlite://{db}/{table}`, whose resources are the tables and views. */
export function tableTemplate(databases: Databases): ResourceTemplateDefinition {
  return defineResourceTemplate({
    uriTemplate: 'sqlite://{db}/{table}',
    name: 'table',
    title: 'Table or view',
    description: 'Columns, keys, indexes, number of rows and the first rows of a table or view',
    mimeType: MIME_TYPE,
    list: async ({ signal }) => {
      const lists = await Promise.all(
        databases.names.map((name) => listTables(databases.get(name), signal)),
      );
      return lists.flat();
    },
    read: async ({ db, table }, uri, { signal }) => {
      const { readers } = existing(databases, db, uri);
      const contents = await asProtocolError(() =>
        readers.run('read-table', { name: table }, signal),
      );
      if (contents === null) throw new ResourceNotFoundError(uri);
      return compactJson(contents);
    },
    complete: {
      db: (typed) => completeNames(typed, databases.names),
      table: (typed, { arguments: { db }, context }) =>
        completeTable(typed, databases, { database: db, signal: context.signal }),
    },
  });
}

/** Suggests names of tables and views; none for an unknown or unreadable database. */
export async function completeTable(
  typed: string,
  databases: Databases,
  { database, signal }: { readonly database: string | undefined; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const found = databases.find(database ?? databases.names[0] ?? '');
  if (found === undefined) return [];
  try {
    return completeNames(typed, await namesInUris(found, signal));
  } catch (error) {
    if (error instanceof ToolError) return [];
    throw error;
  }
}

/** Lists the tables and views of one database; none while it cannot be read. */
async function listTables(
  database: ServedDatabase,
  signal: AbortSignal,
): Promise<readonly Resource[]> {
  try {
    const names = await namesInUris(database, signal);
    const modified = await lastModified(database);
    return names.map((name) => ({
      uri: tableUri(database.name, name),
      name,
      mimeType: MIME_TYPE,
      ...modified,
    }));
  } catch (error) {
    if (error instanceof ToolError && !signal.aborted) return [];
    throw error;
  }
}

/** Returns the names of tables and views, except an empty name, which no URI of the template can have. */
async function namesInUris(
  { readers }: ServedDatabase,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names = await readers.run('table-names', {}, signal);
  return names.filter((name) => name !== '');
}

function existing(databases: Databases, name: string, uri: string): ServedDatabase {
  const database = databases.find(name);
  if (database === undefined) throw new ResourceNotFoundError(uri);
  return database;
}

/** Returns when the database was last written, as annotations of its resources. */
async function lastModified({ path }: ServedDatabase): Promise<Pick<Resource, 'annotations'>> {
  const times = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  const latest = Math.max(...times);
  return latest === 0 ? {} : { annotations: { lastModified: fileTime(latest).toISOString() } };
}

/** Sends the failure of a query to the client, which a `ToolError` outside a tool would hide. */
export async function asProtocolError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof ToolError
      ? new ProtocolError(ErrorCode.internalError, error.message, { cause: error })
      : error;
  }
}
