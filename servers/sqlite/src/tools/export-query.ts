import { PathError } from '@signalbox/file-sandbox';
import {
  defineTool,
  type InteractiveContext,
  type ToolDefinition,
} from '@signalbox/mcp-core/server';
import { withTask, type Confirmations } from '@signalbox/server-kit';
import type { ReaderPool } from '../executor-pool.ts';
import { compactJson } from '../executor/compact-json.ts';
import type { ExportRowsInput, ExportRowsOutput } from '../executor/export/export-protocol.ts';
import type { DataFolder } from '../files/data-folder.ts';
import { databaseArgument } from './database-argument.ts';
import { fileError, requireDataFolder } from './file-arguments.ts';
import type { FileTools } from './import-data.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { PARAMS_SCHEMA, QUERY_SCHEMA } from './query-arguments.ts';
import { withQueryProgress } from './query-progress.ts';
import { confirmationFields } from './result-schemas.ts';

export interface ExportTools extends FileTools {
  readonly confirmations: Confirmations;
  /** Whether the server changes nothing, so that paths are refused too. */
  readonly readOnly: boolean;
}

interface ExportCall {
  readonly input: ExportRowsInput;
  readonly context: InteractiveContext;
  readonly readers: ReaderPool;
}

/** Returns the tool that exports the rows of a query as text or to a file. */
export function exportQueryTool(tools: ExportTools): ToolDefinition {
  const { databases, dataFolder } = tools;
  const canWriteFiles = dataFolder !== undefined && !tools.readOnly;
  const queue = new OneAtATime();
  return defineTool({
    name: 'export_query',
    title: 'Export query',
    description:
      'Exports the rows of a reading query as CSV, JSON or NDJSON: to a file, or as text that is cut at the size of a result. In CSV, NULL is an empty field.',
    inputSchema: {
      type: 'object',
      properties: {
        query: QUERY_SCHEMA,
        params: PARAMS_SCHEMA,
        database: databaseArgument(databases),
        format: { enum: ['csv', 'json', 'ndjson'], description: 'Default csv' },
        path: { type: 'string', description: 'Below the data directory' },
        overwrite: {
          type: 'boolean',
          description: 'Replace an existing file',
        },
        delimiter: { enum: [',', ';', '\t', '|'], description: 'Of CSV; default ,' },
        escapeFormulas: {
          type: 'boolean',
          description: 'Put an apostrophe before text that spreadsheets run',
        },
        confirmToken: { type: 'string' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        text: { type: 'string' },
        rows: { type: 'integer' },
        bytes: { type: 'integer' },
        truncated: { type: 'boolean' },
        note: { type: 'string' },
        ...confirmationFields,
      },
    },
    task: 'optional',
    annotations: {
      readOnlyHint: !canWriteFiles,
      destructiveHint: canWriteFiles,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: async (args, context) => {
      const { query, params, path, overwrite = false, confirmToken } = args;
      const { format = 'csv', delimiter = ',', escapeFormulas = false } = args;
      const isForResult = path === undefined;
      const { name: database, readers } = databases.get(args.database);
      const input = { query, params, format, delimiter, escapeFormulas, isForResult };
      const call = { input, context, readers };
      if (isForResult) return withTask(context, () => exportText(call));
      const folder = await requireDataFolder(canWriteFiles ? dataFolder : undefined);
      try {
        if (overwrite)
          await confirmOverwrite(tools.confirmations, context, {
            size: await context.once('size', async () => (await folder.sizeOf(path)) ?? null),
            arguments: { ...input, params: params ?? null, path, database },
            confirmToken,
          });
        // Each occupies a query process; the other one serves queries.
        const write = () => exportFile(folder, call, { path, overwrite });
        return await withTask(context, () => queue.run(context.signal, write));
      } catch (error) {
        throw error instanceof PathError ? fileError(error) : error;
      }
    },
  });
}

interface Overwrite {
  /** Size of the existing file; `null`: there is none. */
  readonly size: number | null;
  readonly arguments: Parameters<Confirmations['confirm']>[1]['arguments'] & {
    readonly path: string;
  };
  readonly confirmToken: string | undefined;
}

async function confirmOverwrite(
  confirmations: Confirmations,
  context: InteractiveContext,
  { size, confirmToken, ...call }: Overwrite,
): Promise<void> {
  if (size === null) return;
  await confirmations.confirm(context, {
    tool: 'export_query',
    arguments: call.arguments,
    impact: `The file ${JSON.stringify(call.arguments.path)} (${size} bytes) is replaced.`,
    hasStructuredToken: true,
    ...(confirmToken === undefined ? {} : { confirmToken }),
  });
}

async function exportText({ input, context, readers }: ExportCall) {
  const parts: string[] = [];
  const sink = (text: string) => void parts.push(text);
  const output = await withQueryProgress(
    context,
    readers.run('export-rows', input, context.signal, { sink }),
  );
  const advice = output.truncated
    ? ['More rows exist than fit into a result; export to a path, or select fewer.']
    : [];
  return toOutput({ text: parts.join('') }, output, [...advice, ...notesOn(input, output)]);
}

async function exportFile(
  folder: DataFolder,
  { input, context, readers }: ExportCall,
  { path, overwrite }: { readonly path: string; readonly overwrite: boolean },
) {
  const { signal } = context;
  let output: ExportRowsOutput | undefined;
  const file = await folder.write(
    path,
    async (append) => {
      let written = 0;
      const sink = async (text: string) => {
        await append(text);
        written += text.length;
        context.progress({ progress: written, message: `Wrote ${written} characters` });
      };
      output = await readers.run('export-rows', input, signal, { sink });
    },
    { overwrite, signal },
  );
  const { rows = 0, bytes = 0, formulaCells = 0, emptyLines = 0 } = output ?? {};
  const done = { rows, bytes, truncated: false, formulaCells, emptyLines };
  return toOutput({ path: file.realPath }, done, notesOn(input, done));
}

function notesOn(
  { escapeFormulas }: ExportRowsInput,
  { formulaCells, emptyLines }: ExportRowsOutput,
): readonly string[] {
  const notes: string[] = [];
  if (formulaCells > 0)
    notes.push(
      escapeFormulas
        ? `${formulaCells} texts begin with = + - or @ and have an apostrophe before them.`
        : `${formulaCells} texts begin with = + - or @: a spreadsheet may run them as formulas. escapeFormulas puts an apostrophe before them.`,
    );
  if (emptyLines > 0)
    notes.push(
      `${emptyLines} rows are empty lines, because their only value is NULL; programs that read CSV skip such lines. JSON and NDJSON keep them.`,
    );
  return notes;
}

function toOutput(
  target: { readonly path: string } | { readonly text: string },
  { rows, bytes, truncated }: ExportRowsOutput,
  notes: readonly string[],
) {
  const structuredContent = {
    ...target,
    rows,
    bytes,
    truncated,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  };
  return { structuredContent, content: compactJson(structuredContent) };
}
