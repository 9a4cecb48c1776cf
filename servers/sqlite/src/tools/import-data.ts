import { PathError } from '@signalbox/file-sandbox';
import { ToolError } from '@signalbox/mcp-core';
import {
  defineTool,
  type InteractiveContext,
  type ToolDefinition,
} from '@signalbox/mcp-core/server';
import { withTask } from '@signalbox/server-kit';
import type { Databases } from '../databases.ts';
import { compactJson } from '../executor/compact-json.ts';
import { ENCODINGS } from '../executor/import/decode-text.ts';
import type {
  ImportFormat,
  ImportRowsInput,
  ImportRowsOutput,
} from '../executor/import/import-protocol.ts';
import { MAX_LINE_ERRORS } from '../executor/import/line-errors.ts';
import type { DataFolder, OpenDataFolder } from '../files/data-folder.ts';
import { databaseArgument } from './database-argument.ts';
import { fileError, requireDataFolder } from './file-arguments.ts';

export interface FileTools {
  readonly databases: Databases;
  /** Opens the directory of imported and exported files; without it file paths are refused. */
  readonly dataFolder: OpenDataFolder | undefined;
}

const FORMATS = ['csv', 'json', 'ndjson'] as const;
const TYPES = ['INTEGER', 'REAL', 'TEXT', 'BLOB', 'NUMERIC', ''] as const;
const CHUNK_CHARACTERS = 256 * 1024;

/** Returns the tool that imports rows of a file or of the call. */
export function importDataTool({ databases, dataFolder }: FileTools): ToolDefinition {
  return defineTool({
    name: 'import_data',
    title: 'Import data',
    description:
      'Imports a CSV, JSON or NDJSON file, or inline rows, into a table: all rows, or none when a line has an error. Types of a new table are inferred.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Below the data directory' },
        rows: {
          type: 'array',
          minItems: 1,
          description: 'Instead of path',
          items: { anyOf: [{ type: 'object' }, { type: 'array' }] },
        },
        table: { type: 'string', minLength: 1, maxLength: 128 },
        database: databaseArgument(databases),
        createTable: { type: 'boolean', description: 'The table must not exist' },
        format: { enum: FORMATS, description: 'Default: by the extension' },
        header: {
          type: 'boolean',
          description: 'First row of CSV names the columns; default true',
        },
        columns: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: 2000,
          description: 'Instead of the names in the data',
        },
        types: {
          type: 'object',
          additionalProperties: { enum: TYPES },
          description: 'By column, instead of the inferred types',
        },
        delimiter: {
          type: 'string',
          minLength: 1,
          maxLength: 1,
          description: 'Default: found in the first line',
        },
        nullText: {
          type: 'string',
          maxLength: 64,
          description: 'CSV field for NULL; default: empty, without quotes',
        },
        encoding: { enum: ENCODINGS, description: 'Default: by the byte order mark, or utf-8' },
      },
      required: ['table'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        rows: { type: 'integer' },
        table: { type: 'string' },
        columns: { type: 'array', items: { type: 'string' } },
        created: { type: 'array', description: 'name, type' },
        errors: { type: 'array', description: 'line, message' },
      },
      required: ['rows', 'table', 'columns', 'errors'],
    },
    task: 'optional',
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: async (args, context) => {
      const { path, rows, table, columns, types, delimiter, encoding } = args;
      if ((path === undefined) === (rows === undefined))
        throw new ToolError('Give either path or rows, not both.');
      // Not a `pattern`: a host would load a validator library, and start a thread, for it alone.
      if (delimiter !== undefined && /["\r\n]/.test(delimiter))
        throw new ToolError('delimiter cannot be a quotation mark or the end of a line.');
      const { writer } = databases.get(args.database);
      if (writer === undefined) throw new ToolError('This server is read-only.');
      const input: ImportRowsInput = {
        table,
        format: rows === undefined ? (args.format ?? formatOf(path)) : 'ndjson',
        createTable: args.createTable ?? false,
        header: args.header ?? true,
        nullText: args.nullText,
        columns,
        types,
        delimiter,
        encoding,
      };
      const run = (source: AsyncIterable<string>) =>
        writer.run('import-rows', input, context.signal, { source });
      if (path === undefined)
        return toOutput(table, await withTask(context, () => run(inlineRows(rows ?? []))));
      const folder = await requireDataFolder(dataFolder);
      return toOutput(
        table,
        await withTask(context, () => importFile(folder, path, { context, run })),
      );
    },
  });
}

interface FileImport {
  readonly context: InteractiveContext;
  readonly run: (source: AsyncIterable<string>) => Promise<ImportRowsOutput>;
}

async function importFile(
  folder: DataFolder,
  path: string,
  { context, run }: FileImport,
): Promise<ImportRowsOutput> {
  try {
    await using file = await folder.source(path);
    const { size } = file;
    const chunks = file.chunks((progress) => {
      context.progress({ progress, total: size, message: `Read ${progress} of ${size} bytes` });
    });
    return await run(chunks);
  } catch (error) {
    throw error instanceof PathError ? fileError(error) : error;
  }
}

/** Sends rows as lines of JSON, so that line numbers count rows. */
async function* inlineRows(rows: readonly unknown[]): AsyncGenerator<string, void> {
  const bytes = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  for (let at = 0; at < bytes.length; at += CHUNK_CHARACTERS)
    yield await Promise.resolve(bytes.toString('latin1', at, at + CHUNK_CHARACTERS));
}

function formatOf(path = ''): ImportFormat {
  if (/\.(?:ndjson|jsonl)$/i.test(path)) return 'ndjson';
  return /\.json$/i.test(path) ? 'json' : 'csv';
}

function toOutput(table: string, { rows, columns, created, errors }: ImportRowsOutput) {
  const structuredContent = {
    rows,
    table,
    columns: [...columns],
    ...(created === undefined ? {} : { created: created.map((column) => ({ ...column })) }),
    errors: errors.map(({ line, message }) => ({ line, message })),
  };
  const content = compactJson(structuredContent);
  if (errors.length === 0) return { structuredContent, content };
  const limit = errors.length === MAX_LINE_ERRORS ? ' There may be more errors.' : '';
  return {
    isError: true as const,
    structuredContent,
    content: `Nothing was imported: correct these lines.${limit} ${content}`,
  };
}
