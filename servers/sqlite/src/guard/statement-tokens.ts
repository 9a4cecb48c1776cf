import { READ_PRAGMA_NAMES, isReadPragma } from './pragmas.ts';
import { TokenizeError, tokenize, type Token } from './tokenize.ts';

/** Reports a statement that this server does not run; the message says which statements it runs. */
export class RefusedQueryError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RefusedQueryError';
  }
}

const FORBIDDEN_FUNCTIONS: ReadonlySet<string> = new Set([
  'load_extension',
  'fts3_tokenizer',
  'sqlite_attach',
  'sqlite_detach',
]);
const PRAGMA_FUNCTION = /^pragma_(\w+)$/i;

/**
 * Splits a statement into tokens, without final semicolons.
 * @throws RefusedQueryError for text that cannot be split
 */
export function splitStatement(sql: string): readonly Token[] {
  const tokens = split(sql);
  return tokens.slice(0, tokens.findLastIndex((token) => !isSymbol(token, ';')) + 1);
}

/** @throws RefusedQueryError when a semicolon separates statements. */
export function checkSingle(tokens: readonly Token[]): void {
  if (tokens.some((token) => isSymbol(token, ';')))
    throw new RefusedQueryError(
      'Only one statement at a time: nothing was executed. Send the statements one by one.',
    );
}

/**
 * Checks the names in a statement, also in strings, which SQLite accepts as table names after FROM.
 * @throws RefusedQueryError for a PRAGMA function that is not a read and for functions that load code or open files
 */
export function checkNames(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    checkName(token, tokens[index + 1]);
  });
}

/** Returns an unquoted word in lower case, and `''` for every other token. */
export function wordOf(token: Token | undefined): string {
  return token?.kind === 'word' ? token.text.toLowerCase() : '';
}

export function isSymbol(token: Token | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol;
}

const MAIN_VERBS: ReadonlySet<string> = new Set([
  'select',
  'values',
  'insert',
  'update',
  'delete',
  'replace',
]);

/**
 * Returns the index of the verb after common table expressions, the first verb outside parentheses;
 * -1 without a verb.
 */
export function indexOfMainVerb(tokens: readonly Token[]): number {
  let depth = 0;
  return tokens.findIndex((token, index) => {
    if (isSymbol(token, '(')) depth += 1;
    if (isSymbol(token, ')')) depth -= 1;
    return depth === 0 && MAIN_VERBS.has(wordOf(token)) && !isCteName(tokens[index + 1]);
  });
}

function isCteName(next: Token | undefined): boolean {
  return wordOf(next) === 'as' || isSymbol(next, '(');
}

function split(sql: string): readonly Token[] {
  try {
    return tokenize(sql);
  } catch (error) {
    if (error instanceof TokenizeError)
      throw new RefusedQueryError(error.message, { cause: error });
    throw error;
  }
}

function checkName(token: Token, next: Token | undefined): void {
  if (token.kind === 'number' || token.kind === 'variable' || token.kind === 'symbol') return;
  const pragma = PRAGMA_FUNCTION.exec(token.text)?.[1];
  if (pragma !== undefined && !isReadPragma(pragma)) {
    throw new RefusedQueryError(
      `${token.text} is not allowed. Allowed: pragma_ with ${READ_PRAGMA_NAMES.join(', ')}. Bind the text as a parameter if it is a value.`,
    );
  }
  if (
    token.kind !== 'string' &&
    FORBIDDEN_FUNCTIONS.has(token.text.toLowerCase()) &&
    isSymbol(next, '(')
  ) {
    throw new RefusedQueryError(`The function ${token.text} is not allowed.`);
  }
}
