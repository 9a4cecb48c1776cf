/**
 * A problem of a JSON text, without quoting the text, which may hold secrets. Lines and columns are
 * one-based.
 */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  readonly problem: string;
}

const TOKEN =
  /[ \t\r\n]*(?:(?<punctuation>[{}[\],:])|(?<string>"(?:[^"\\\p{Cc}]|\u007f|[\u0080-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?<literal>(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])))/uy;
const MAX_DEPTH = 100;

/**
 * Returns the first problem of a JSON text: a syntax error, a duplicate name in an object, or
 * nesting deeper than 100.
 */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const reader = new Reader(text);
  try {
    reader.document();
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const before = text.slice(0, error.offset).split('\n');
    return {
      line: before.length,
      column: (before.at(-1) ?? '').length + 1,
      problem: error.message,
    };
  }
}

class Problem extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

class Reader {
  readonly #text: string;
  readonly #pattern = new RegExp(TOKEN);
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value(0);
    if (this.#skipSpace() < this.#text.length)
      throw new Problem(this.#offset, 'there is more text after the end of the JSON value');
  }

  #value(depth: number): void {
    const start = this.#skipSpace();
    if (depth > MAX_DEPTH) throw new Problem(start, `nested deeper than ${MAX_DEPTH}`);
    const token = this.#token();
    if (token === '{') this.#members(depth);
    else if (token === '[') this.#elements(depth);
    else if (token === undefined || /^[}\],:]$/.test(token))
      throw new Problem(start, this.#complaint(start, 'a value'));
  }

  #members(depth: number): void {
    if (this.#accept('}')) return;
    const names = new Set<string>();
    for (;;) {
      const start = this.#skipSpace();
      const token = this.#token();
      if (token?.startsWith('"') !== true)
        throw new Problem(start, this.#complaint(start, 'a name in double quotes'));
      const name = String(JSON.parse(token));
      if (names.has(name))
        throw new Problem(start, `the name "${name}" is given twice in the same object`);
      names.add(name);
      this.#expect(':');
      this.#value(depth + 1);
      if (this.#accept('}')) return;
      this.#expect(',', '"," or "}"');
    }
  }

  #elements(depth: number): void {
    if (this.#accept(']')) return;
    for (;;) {
      this.#value(depth + 1);
      if (this.#accept(']')) return;
      this.#expect(',', '"," or "]"');
    }
  }

  #token(): string | undefined {
    this.#pattern.lastIndex = this.#offset;
    const groups = this.#pattern.exec(this.#text)?.groups;
    if (groups === undefined) return undefined;
    this.#offset = this.#pattern.lastIndex;
    return groups['punctuation'] ?? groups['string'] ?? groups['literal'];
  }

  #accept(punctuation: string): boolean {
    if (this.#text[this.#skipSpace()] !== punctuation) return false;
    this.#offset += 1;
    return true;
  }

  #expect(punctuation: string, expected = `"${punctuation}"`): void {
    const start = this.#skipSpace();
    if (!this.#accept(punctuation)) throw new Problem(start, this.#complaint(start, expected));
  }

  #skipSpace(): number {
    while (' \t\r\n'.includes(this.#text[this.#offset] ?? '-')) this.#offset += 1;
    return this.#offset;
  }

  #complaint(offset: number, expected: string): string {
    const rest = this.#text.slice(offset, offset + 2);
    if (rest === '') return `the text ends where ${expected} is expected`;
    if (rest === '//' || rest === '/*') return 'comments are not allowed in JSON';
    if (rest.startsWith('}') || rest.startsWith(']'))
      return `${expected} is expected; is there a comma too many before it?`;
    return `${expected} is expected`;
  }
}
