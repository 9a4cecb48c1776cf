export type TokenKind = 'word' | 'quoted' | 'string' | 'number' | 'variable' | 'symbol';

export interface Token {
  readonly kind: TokenKind;
  /** Text as written; quoted identifiers and strings without their quotes. */
  readonly text: string;
}

/** Reports a text that cannot be split into tokens the way SQLite does it. */
export class TokenizeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TokenizeError';
  }
}

const SPACE = /[ \t\n\f\r\uFEFF]+|--[^\n]*/y;
const WORD = /[A-Za-z_\u0080-\uFFFF][\w$\u0080-\uFFFF]*/y;
const NUMBER = /\.?\d[\w.]*/y;
const VARIABLE = /\?\d*|[:@#$](?:[\w$\u0080-\uFFFF]|::)+/y;
const SYMBOL = /[-+*/%=<>!|&~,.;()]/;
const CLOSING_QUOTE: { readonly [opening: string]: string } = {
  "'": "'",
  '"': '"',
  '`': '`',
  '[': ']',
};

/**
 * Splits SQL like SQLite's tokenizer, without comments and white space. Refuses text for which the
 * two could differ.
 * @throws TokenizeError for open quotes, Tcl-style parameters and characters that begin no token, NUL among them.
 * @see https://www.sqlite.org/lang_comment.html
 */
export function tokenize(sql: string): Token[] {
  if (sql.includes('\0')) throw new TokenizeError('The SQL contains a NUL character.');
  const tokens: Token[] = [];
  let position = 0;
  while (position < sql.length) {
    const skipped = skipBlank(sql, position);
    if (skipped > position) {
      position = skipped;
      continue;
    }
    const { token, end } = readToken(sql, position);
    tokens.push(token);
    position = end;
  }
  return tokens;
}

function skipBlank(sql: string, position: number): number {
  if (sql.startsWith('/*', position)) {
    const end = sql.indexOf('*/', position + 2);
    return end === -1 ? sql.length : end + 2;
  }
  return position + (match(SPACE, sql, position)?.length ?? 0);
}

function readToken(sql: string, position: number): { token: Token; end: number } {
  const first = sql.charAt(position);
  const closing = CLOSING_QUOTE[first];
  if (closing !== undefined) return readQuoted(sql, position, closing);
  const word = match(WORD, sql, position);
  if (word !== undefined)
    return { token: { kind: 'word', text: word }, end: position + word.length };
  const number = match(NUMBER, sql, position);
  if (number !== undefined)
    return { token: { kind: 'number', text: number }, end: position + number.length };
  const variable = match(VARIABLE, sql, position);
  if (variable === undefined) return readSymbol(first, position);
  const end = position + variable.length;
  if (variable !== '?' && sql.charAt(end) === '(')
    throw new TokenizeError(
      `The parameter ${variable}( is written in Tcl style; use ?, ?1 or :name.`,
    );
  return { token: { kind: 'variable', text: variable }, end };
}

/**
 * Reads a symbol of SQLite's grammar and rejects any other character, such as a vertical tab, which
 * SQLite handles inconsistently.
 */
function readSymbol(character: string, position: number): { token: Token; end: number } {
  if (SYMBOL.test(character))
    return { token: { kind: 'symbol', text: character }, end: position + 1 };
  throw new TokenizeError(
    `The character ${JSON.stringify(character)} at position ${position + 1} is not allowed there.`,
  );
}

function readQuoted(sql: string, start: number, closing: string): { token: Token; end: number } {
  const end =
    closing === ']' ? sql.indexOf(closing, start + 1) : findClosing(sql, start + 1, closing);
  if (end === -1)
    throw new TokenizeError(
      `The quote ${sql.charAt(start)} at character ${start + 1} is never closed.`,
    );
  const inner = sql.slice(start + 1, end);
  const text = closing === ']' ? inner : inner.replaceAll(closing + closing, closing);
  return { token: { kind: closing === "'" ? 'string' : 'quoted', text }, end: end + 1 };
}

/** Finds the closing quote. A doubled quote stands for the quote itself. */
function findClosing(sql: string, start: number, quote: string): number {
  let end = sql.indexOf(quote, start);
  while (end !== -1 && sql.charAt(end + 1) === quote) end = sql.indexOf(quote, end + 2);
  return end;
}

function match(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0];
}
