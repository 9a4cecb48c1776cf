import { defineTool, SerializedJson, type ToolDefinition } from '@signalbox/mcp-core/server';
import type { Databases } from '../databases.ts';
import type { QueryPage } from '../executor/protocol.ts';
import { databaseArgument } from './database-argument.ts';
import { PARAMS_SCHEMA, QUERY_SCHEMA } from './query-arguments.ts';
import type { QueryCursors } from './query-cursors.ts';
import { withQueryProgress } from './query-progress.ts';
import { columnsSchema, rowsSchema } from './result-schemas.ts';

const DESCRIPTION = `Runs one reading SQL statement: SELECT, WITH … SELECT, VALUES, EXPLAIN [QUERY PLAN], or a reading PRAGMA such as table_info(t).
Each row is an array in the order of columns. Pass values through params. When truncated is true, repeat the call with cursor = nextCursor. databaseChanged: written since the first page, so rows may be missing or repeated.
Integers outside ±2^53 are decimal strings (column type int64); a BLOB is {"$blob": base64, "bytes": n}; a cut text is {"$text", "bytes", "truncated"}.`;

export interface ReadQueryOptions {
  /** Maximum number of rows of a page. */
  readonly maxRows: number;
  readonly cursors: QueryCursors;
}

/**
 * Returns the tool that runs a query and returns up to `maxRows` rows; the query process limits time,
 * memory and size.
 */
export function readQueryTool(
  databases: Databases,
  { maxRows, cursors }: ReadQueryOptions,
): ToolDefinition {
  return defineTool({
    name: 'read_query',
    title: 'Read query',
    description: DESCRIPTION,
    inputSchema: {
      type: 'object',
      properties: {
        query: QUERY_SCHEMA,
        params: {
          ...PARAMS_SCHEMA,
          description:
            'Array for ? and ?1, object for :name. Values: null, string, number, boolean, {"$int64": "digits"}, {"$blob": "base64"}',
        },
        database: databaseArgument(databases),
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: maxRows,
          description: `Most rows to return; default ${maxRows}`,
        },
        cursor: { type: 'string', description: 'nextCursor of the same query' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        columns: columnsSchema,
        rows: rowsSchema,
        rowCount: { type: 'integer' },
        truncated: { type: 'boolean' },
        nextCursor: { type: 'string' },
        databaseChanged: { type: 'boolean' },
        elapsedMs: { type: 'integer' },
      },
      required: ['columns', 'rows', 'rowCount', 'truncated', 'elapsedMs'],
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: async ({ query, params, limit, cursor, database: name }, context) => {
      const database = databases.get(name);
      const key = { database: database.name, query, params: params ?? null };
      const position = cursor === undefined ? { skip: 0 } : cursors.read(key, cursor);
      const input = {
        query,
        ...(params === undefined ? {} : { params }),
        ...(limit === undefined ? {} : { limit }),
        ...position,
      };
      const page = await withQueryProgress(
        context,
        database.readers.run('read-page', input, context.signal),
      );
      const skip = position.skip + page.rowCount;
      const { firstState } = page;
      const more = {
        ...(page.truncated ? { nextCursor: cursors.issue(key, { skip, firstState }) } : {}),
        ...(page.hasChanged ? { databaseChanged: true } : {}),
      };
      return { structuredContent: withMembers(page, more) };
    },
  });
}

/** Returns the result of a page with more members, in the form in which the query process wrote it. */
function withMembers({ body, release }: QueryPage, more: object): SerializedJson {
  const members = JSON.stringify(more).slice(1);
  const end = Buffer.from(members === '}' ? members : `,${members}`);
  return new SerializedJson([...body, end], release);
}
