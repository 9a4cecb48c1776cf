import { inTransaction } from '../in-transaction.ts';
import type { OperationContext } from '../operation.ts';
import { CsvReader } from './csv-reader.ts';
import { EncodingError, TextDecoding } from './decode-text.ts';
import type { ImportRowsInput, ImportRowsOutput } from './import-protocol.ts';
import type { RecordReader } from './import-record.ts';
import { JsonArrayReader, NdjsonReader } from './json-readers.ts';
import { LineErrors } from './line-errors.ts';
import { RowImporter } from './row-importer.ts';

/** Ends the transaction of an import with errors. */
class ImportRejected extends Error {}

/**
 * Imports rows in one transaction: all, or none when a line has an error. The chunks are the bytes of
 * the data, a character for each byte.
 * @throws SqliteError, and Error for a table that cannot take rows
 */
export async function importRows(
  input: ImportRowsInput,
  context: OperationContext,
): Promise<ImportRowsOutput> {
  const errors = new LineErrors();
  try {
    return await inTransaction(context, async () => {
      const importer = new RowImporter(context.database, input, errors);
      await readRows(input, context, { importer, errors });
      if (errors.list.length > 0) throw new ImportRejected();
      const { rows, columns, created } = importer;
      return { rows, columns, ...(created === undefined ? {} : { created }), errors: [] };
    });
  } catch (error) {
    if (error instanceof ImportRejected) return { rows: 0, columns: [], errors: errors.list };
    throw error;
  }
}

async function readRows(
  input: ImportRowsInput,
  { stream }: OperationContext,
  { importer, errors }: { readonly importer: RowImporter; readonly errors: LineErrors },
): Promise<void> {
  const reader = createReader(input);
  const decoding = new TextDecoding(input.encoding);
  try {
    for (let chunk = await stream.receive(); chunk !== undefined; chunk = await stream.receive()) {
      const text = decoding.push(Buffer.from(chunk, 'latin1'));
      importer.add(reader.push(text), text.length);
      if (errors.isFull || reader.failure !== undefined) break;
    }
    if (reader.failure === undefined && !errors.isFull) {
      const text = decoding.end();
      importer.add([...reader.push(text), ...(await reader.end())], text.length);
    }
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    errors.add(error);
  }
  if (errors.list.length === 0 || reader.failure !== undefined) importer.finish();
  if (reader.failure !== undefined) errors.add(reader.failure);
}

function createReader({ format, delimiter }: ImportRowsInput): RecordReader {
  switch (format) {
    case 'csv':
      return new CsvReader(delimiter);
    case 'json':
      return new JsonArrayReader();
    case 'ndjson':
      return new NdjsonReader();
  }
}
