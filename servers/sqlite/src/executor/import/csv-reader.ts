import { once } from 'node:events';
import { parse, type CsvError, type Parser } from 'csv-parse';
import {
  MAX_RECORD_CHARACTERS,
  countLines,
  type ImportRecord,
  type LineError,
  type RecordReader,
} from './import-record.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Characters within which the first line is expected, for the choice of the delimiter. */
const HEADER_CHARACTERS = 256 * 1024;

/**
 * Splits CSV into rows, as RFC 4180 describes it: quotes are doubled inside quoted fields, and a quoted
 * field may contain line breaks. Lines may end with CRLF, LF or CR. Empty lines are skipped. An empty
 * field is `null` without quotes, and an empty text with quotes.
 */
export class CsvReader implements RecordReader {
  #delimiter: string | undefined;
  #parser: Parser | undefined;
  #start = '';
  #records: ImportRecord[] = [];
  #lastLine = 0;
  #failure: LineError | undefined;

  /** `delimiter`: one character; by default the most frequent of `, ; tab |` in the first line. */
  constructor(delimiter?: string) {
    this.#delimiter = delimiter;
  }

  get failure(): LineError | undefined {
    return this.#failure;
  }

  push(text: string): readonly ImportRecord[] {
    if (this.#failure !== undefined) return [];
    if (this.#parser !== undefined) return this.#write(text, this.#parser);
    this.#start += text;
    const isLineComplete = /[\r\n]/.test(this.#start) || this.#start.length > HEADER_CHARACTERS;
    return isLineComplete ? this.#write(this.#start, this.#open()) : [];
  }

  async end(): Promise<readonly ImportRecord[]> {
    if (this.#failure !== undefined) return [];
    const parser = this.#parser ?? this.#open();
    const begun =
      this.#parser === parser && this.#start !== '' ? this.#write(this.#start, parser) : [];
    parser.end();
    await once(parser, 'end').catch(() => undefined);
    return [...begun, ...this.#take()];
  }

  #open(): Parser {
    this.#delimiter ??= findDelimiter(this.#start);
    const parser = parse({
      delimiter: this.#delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      // Calls on_skip instead of ending with an error event in a later turn.
      skip_records_with_error: true,
      max_record_size: MAX_RECORD_CHARACTERS,
      cast: (field, { quoting }) => (field === '' && !quoting ? null : field),
      on_skip: (error) => {
        this.#fail(error);
        return undefined;
      },
      on_record: (value: readonly (string | null)[], { lines }) => {
        const breaks = value.some((field) => field?.includes('\n') === true)
          ? countLines(value.join(''))
          : 0;
        this.#lastLine = lines;
        if (this.#failure === undefined) this.#records.push({ line: lines - breaks, value });
        return null;
      },
    });
    parser.on('error', (error: CsvError) => {
      this.#fail(error);
    });
    parser.resume();
    this.#parser = parser;
    return parser;
  }

  #write(text: string, parser: Parser): readonly ImportRecord[] {
    this.#start = '';
    parser.write(text);
    return this.#take();
  }

  #take(): readonly ImportRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  #fail(error: CsvError | undefined): void {
    this.#failure ??= { line: this.#lastLine + 1, message: explain(error) };
  }
}

function explain(error: CsvError | undefined): string {
  const line = typeof error?.['lines'] === 'number' ? ` (line ${error['lines']})` : '';
  switch (error?.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted field of this row is not closed before the end';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return `a quoted field is followed by text${line}; write a quote inside a quoted field twice`;
    case 'INVALID_OPENING_QUOTE':
      return `a quote is inside an unquoted field${line}; quote the field and write the quote twice`;
    case 'CSV_MAX_RECORD_SIZE':
      return `the row is longer than ${MAX_RECORD_CHARACTERS} characters; a quote may be missing, or the file is not CSV`;
    default:
      return error?.message ?? 'the row cannot be read';
  }
}

function findDelimiter(start: string): string {
  const [line = ''] = start
    .slice(0, HEADER_CHARACTERS)
    .replaceAll(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
