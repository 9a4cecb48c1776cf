import type { Database } from 'better-sqlite3';
import { describeTable, UnknownTableError, type DescriptionLimits } from './describe-table.ts';
import type { TableContents } from './protocol.ts';
import { quoteIdentifier } from './quote-identifier.ts';
import { readQuery } from './read-query.ts';

const SAMPLE_ROWS = 10;
/** Most bytes of a value in the sample. */
const MAX_SAMPLE_CELL_BYTES = 1024;
/** Rows up to which they are counted: a view without an index takes long to count. */
const MAX_COUNTED_ROWS = 1_000_000;

/**
 * Describes a table or view with the number of its rows and the first of them. Returns `undefined`
 * when there is none of this name.
 * @throws SqliteError for a broken view
 */
export function readTable(
  database: Database,
  name: string,
  limits: DescriptionLimits,
): TableContents | undefined {
  const description = tryDescribe(database, name, limits);
  if (description === undefined) return undefined;
  const table = `main.${quoteIdentifier(description.name)}`;
  const counted =
    database
      .prepare<[], number>(
        `SELECT count(*) FROM (SELECT 1 FROM ${table} LIMIT ${MAX_COUNTED_ROWS + 1})`,
      )
      .pluck()
      .get() ?? 0;
  const sample = readQuery(
    database,
    { query: `SELECT * FROM ${table} LIMIT ${SAMPLE_ROWS}` },
    {
      maxRows: SAMPLE_ROWS,
      maxCellBytes: Math.min(limits.maxCellBytes, MAX_SAMPLE_CELL_BYTES),
      maxResultBytes: limits.maxResultBytes / 2,
    },
  );
  return {
    ...description,
    rowCount: Math.min(counted, MAX_COUNTED_ROWS),
    hasMoreRows: counted > MAX_COUNTED_ROWS,
    sampleRows: { columns: sample.columns, rows: sample.rows },
  };
}

/** The description takes at most half of the result, so that the sample has room. */
function tryDescribe(
  database: Database,
  name: string,
  { maxCellBytes, maxResultBytes }: DescriptionLimits,
): ReturnType<typeof describeTable> | undefined {
  try {
    return describeTable(database, name, { maxCellBytes, maxResultBytes: maxResultBytes / 2 });
  } catch (error) {
    if (error instanceof UnknownTableError) return undefined;
    throw error;
  }
}
