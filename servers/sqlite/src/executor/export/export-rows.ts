import { bindParameters } from '../bind-parameters.ts';
import { resultBytes } from '../compact-json.ts';
import type { OperationContext } from '../operation.ts';
import { prepareQuery } from '../prepare-query.ts';
import { ENVELOPE_BYTES } from '../row-collector.ts';
import type { ExportRowsInput, ExportRowsOutput } from './export-protocol.ts';
import { createRowFormat, type RowFormat } from './row-format.ts';

const CHUNK_CHARACTERS = 128 * 1024;

/**
 * Runs one reading statement, and sends its rows as text.
 * @throws RefusedQueryError, ParameterError, SqliteError, StreamAbortedError
 */
export async function exportRows(
  input: ExportRowsInput,
  { database, configuration, stream }: OperationContext,
): Promise<ExportRowsOutput> {
  const { checked, statement, columns } = prepareQuery(database, input.query);
  const parameters = bindParameters(input.params, checked.tokens);
  const names = columns.map(({ name }) => name);
  const maxBytes = input.isForResult ? configuration.maxResultBytes - ENVELOPE_BYTES : Infinity;
  const writer = new RowWriter(createRowFormat(names, input), maxBytes);
  for (const row of statement.iterate(...parameters)) {
    if (!writer.add(row)) break;
    if (writer.isFull) await stream.send(writer.take());
  }
  const last = writer.finish();
  if (last !== '') await stream.send(last);
  return writer.result;
}

/** Collects the text of rows in chunks, up to a length. */
class RowWriter {
  readonly #format: RowFormat;
  readonly #maxBytes: number;
  #text: string;
  #rows = 0;
  #bytes = 0;
  #resultBytes: number;
  #truncated = false;

  constructor(format: RowFormat, maxBytes: number) {
    this.#format = format;
    this.#maxBytes = maxBytes;
    this.#text = format.start;
    this.#resultBytes = maxBytes === Infinity ? 0 : resultBytes(format.start + format.end);
    if (this.#resultBytes > maxBytes)
      throw new Error('The names of the columns alone pass the result limit; select fewer.');
  }

  get isFull(): boolean {
    return this.#text.length >= CHUNK_CHARACTERS;
  }

  get result(): ExportRowsOutput {
    return {
      rows: this.#rows,
      bytes: this.#bytes,
      truncated: this.#truncated,
      formulaCells: this.#format.formulaCells,
      emptyLines: this.#format.emptyLines,
    };
  }

  /** Adds a row, and returns whether it fits. */
  add(values: readonly unknown[]): boolean {
    const row = (this.#rows === 0 ? '' : this.#format.separator) + this.#format.row(values);
    if (this.#maxBytes !== Infinity) {
      this.#resultBytes += resultBytes(row);
      this.#truncated = this.#resultBytes > this.#maxBytes;
      if (this.#truncated) return false;
    }
    this.#text += row;
    this.#rows += 1;
    return true;
  }

  /** Returns the text since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    this.#bytes += Buffer.byteLength(text);
    return text;
  }

  /** Returns the rest of the text. */
  finish(): string {
    this.#text += this.#format.end;
    return this.take();
  }
}
