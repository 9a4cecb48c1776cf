import {
  MAX_RECORD_CHARACTERS,
  countLines,
  type ImportRecord,
  type LineError,
  type RecordReader,
} from './import-record.ts';

const TOO_LONG = `the row is longer than ${MAX_RECORD_CHARACTERS} characters`;

/** Reads newline-delimited JSON: an object or array on each line. Empty lines are skipped. */
export class NdjsonReader implements RecordReader {
  #rest: string[] = [];
  #restLength = 0;
  #line = 0;
  #failure: LineError | undefined;

  get failure(): LineError | undefined {
    return this.#failure;
  }

  push(text: string): readonly ImportRecord[] {
    const records: ImportRecord[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#read(text.slice(start, end), records);
      if (this.#failure !== undefined) return records;
      start = end + 1;
    }
    this.#keep(text.slice(start));
    return records;
  }

  end(): readonly ImportRecord[] {
    const records: ImportRecord[] = [];
    this.#read('', records);
    return records;
  }

  #keep(rest: string): void {
    this.#restLength += rest.length;
    if (this.#restLength > MAX_RECORD_CHARACTERS)
      this.#failure ??= { line: this.#line + 1, message: TOO_LONG };
    else if (rest !== '') this.#rest.push(rest);
  }

  #read(lineEnd: string, records: ImportRecord[]): void {
    if (this.#failure !== undefined) return;
    this.#line += 1;
    const text = [...this.#rest, lineEnd].join('').trim();
    this.#rest = [];
    this.#restLength = 0;
    if (text === '') return;
    const row = parseRow(text, this.#line);
    if ('message' in row) this.#failure = row;
    else records.push(row.record);
  }
}

/** Reads one JSON array of objects or arrays, element by element. */
export class JsonArrayReader implements RecordReader {
  #place: 'start' | 'element' | 'after-comma' | 'comma' | 'end' = 'start';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Earlier parts of the element at hand. */
  #parts: string[] = [];
  #partsLength = 0;
  #line = 1;
  #elementLine = 1;
  #failure: LineError | undefined;

  get failure(): LineError | undefined {
    return this.#failure;
  }

  push(text: string): readonly ImportRecord[] {
    const records: ImportRecord[] = [];
    let at = 0;
    while (at < text.length && this.#failure === undefined)
      at = this.#depth > 0 ? this.#readElement(text, at, records) : this.#readBetween(text, at);
    return records;
  }

  end(): readonly ImportRecord[] {
    if (this.#place !== 'end') this.#fail('the array of rows is not closed before the end');
    return [];
  }

  /** Reads one character between elements, and returns the next position. */
  #readBetween(text: string, at: number): number {
    const character = text[at] ?? '';
    if (character === '\n') this.#line += 1;
    if (/\s/.test(character)) return at + 1;
    const place = this.#place;
    if (place === 'start' && character === '[') this.#place = 'element';
    else if ((place === 'element' || place === 'comma') && character === ']') this.#place = 'end';
    else if (place === 'comma' && character === ',') this.#place = 'after-comma';
    else if ((place === 'element' || place === 'after-comma') && '{['.includes(character)) {
      this.#depth = 1;
      this.#elementLine = this.#line;
      this.#parts = [character];
      this.#partsLength = 1;
    } else this.#fail(EXPECTED[place]);
    return at + 1;
  }

  /** Reads up to the end of the element or of the text, and returns the next position. */
  #readElement(text: string, from: number, records: ImportRecord[]): number {
    let at = from;
    for (; at < text.length && this.#depth > 0; at++) this.#count(text.charCodeAt(at));
    const part = text.slice(from, at);
    this.#partsLength += part.length;
    if (this.#partsLength > MAX_RECORD_CHARACTERS) this.#fail(TOO_LONG, this.#elementLine);
    else this.#parts.push(part);
    if (this.#depth === 0 && this.#failure === undefined) this.#finish(records);
    else if (this.#depth > 0 && this.#failure === undefined) this.#line += countLines(part);
    return at;
  }

  #count(code: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) this.#isInString = false;
    } else if (code === QUOTE) this.#isInString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#depth -= 1;
  }

  #finish(records: ImportRecord[]): void {
    const row = parseRow(this.#parts.join(''), this.#elementLine);
    this.#line += countLines(this.#parts.at(-1) ?? '');
    this.#parts = [];
    this.#place = 'comma';
    if ('message' in row) this.#failure = row;
    else records.push(row.record);
  }

  #fail(message: string, line = this.#line): void {
    this.#failure ??= { line, message };
    this.#parts = [];
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

const EXPECTED = {
  start: 'the file is not a JSON array of rows; for one object on each line set format to ndjson',
  element: 'a row must be an object or an array',
  'after-comma': 'a row must be an object or an array',
  comma: 'a comma or the end of the array is expected here',
  end: 'there is text after the end of the array',
} as const;

function parseRow(text: string, line: number): { readonly record: ImportRecord } | LineError {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { line, message: 'the row is not valid JSON' };
  }
  return typeof value === 'object' && value !== null
    ? { record: { line, value: value as ImportRecord['value'] } }
    : { line, message: 'a row must be an object or an array' };
}
