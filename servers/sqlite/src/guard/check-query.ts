import { READ_PRAGMA_NAMES, isReadPragma, takesArgument } from './pragmas.ts';
import { TokenizeError, tokenize, type Token } from './tokenize.ts';

/** Reports a statement that this server does not run; the message says which statements it runs. */
export class RefusedQueryError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RefusedQueryError';
  }
}

export interface CheckedQuery {
  readonly keyword: 'select' | 'values' | 'with' | 'explain' | 'pragma';
  readonly tokens: readonly Token[];
}

const ALLOWED =
  'Allowed: one SELECT, WITH … SELECT, VALUES, EXPLAIN [QUERY PLAN] of those, or a reading PRAGMA.';
const READS: ReadonlySet<string> = new Set(['select', 'values', 'with']);
const MAIN_VERBS: ReadonlySet<string> = new Set([
  'select',
  'values',
  'insert',
  'update',
  'delete',
  'replace',
]);
const FORBIDDEN_FUNCTIONS: ReadonlySet<string> = new Set([
  'load_extension',
  'fts3_tokenizer',
  'sqlite_attach',
  'sqlite_detach',
]);
const PRAGMA_FUNCTION = /^pragma_(\w+)$/i;

const REASONS: ReadonlyMap<string, string> = new Map([
  ...['attach', 'detach'].map((word) => [word, 'the server works on one database file'] as const),
  ...['begin', 'commit', 'end', 'rollback', 'savepoint', 'release'].map(
    (word) => [word, 'each query runs on its own and no lock outlives it'] as const,
  ),
  ...[
    'insert',
    'update',
    'delete',
    'replace',
    'create',
    'alter',
    'drop',
    'vacuum',
    'reindex',
    'analyze',
  ].map((word) => [word, 'the database is open for reading only'] as const),
]);

/**
 * Decides from the text whether a statement may be passed to SQLite, because compiling a PRAGMA
 * already changes settings, and SQLite reports ATTACH and transaction statements as read-only.
 * @throws RefusedQueryError
 */
export function checkQuery(sql: string): CheckedQuery {
  const tokens = dropFinalSemicolons(split(sql));
  const [first] = tokens;
  if (first === undefined) throw new RefusedQueryError(`The query is empty. ${ALLOWED}`);
  if (tokens.some((token) => isSymbol(token, ';')))
    throw new RefusedQueryError(
      'Only one statement at a time: nothing was executed. Send the statements one by one.',
    );
  const keyword = checkStatement(tokens, first);
  tokens.forEach((token, index) => {
    checkName(token, tokens[index + 1]);
  });
  return { keyword, tokens };
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

function dropFinalSemicolons(tokens: readonly Token[]): readonly Token[] {
  return tokens.slice(0, tokens.findLastIndex((token) => !isSymbol(token, ';')) + 1);
}

function checkStatement(tokens: readonly Token[], first: Token): CheckedQuery['keyword'] {
  const keyword = wordOf(first);
  switch (keyword) {
    case 'select':
    case 'values':
      return keyword;
    case 'with':
      checkWith(tokens);
      return keyword;
    case 'explain':
      checkExplained(tokens);
      return keyword;
    case 'pragma':
      checkPragma(tokens.slice(1));
      return keyword;
    default:
      throw refuse(first);
  }
}

function checkExplained(tokens: readonly Token[]): void {
  const isPlan = wordOf(tokens[1]) === 'query' && wordOf(tokens[2]) === 'plan';
  const explained = tokens.slice(isPlan ? 3 : 1);
  const [first] = explained;
  const keyword = wordOf(first);
  if (!READS.has(keyword)) throw refuse(first);
  if (keyword === 'with') checkWith(explained);
}

/** Finds the verb after the common table expressions: the first one outside parentheses. */
function checkWith(tokens: readonly Token[]): void {
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (isSymbol(token, '(')) depth += 1;
    if (isSymbol(token, ')')) depth -= 1;
    const word = wordOf(token);
    if (depth !== 0 || !MAIN_VERBS.has(word) || isCteName(tokens[index + 1])) continue;
    if (!READS.has(word)) throw refuse(token);
    return;
  }
}

function isCteName(next: Token | undefined): boolean {
  return wordOf(next) === 'as' || isSymbol(next, '(');
}

function checkPragma(tokens: readonly Token[]): void {
  const hasSchema = isSymbol(tokens[1], '.');
  const name = tokens[hasSchema ? 2 : 0]?.text ?? '';
  const rest = tokens.slice(hasSchema ? 3 : 1);
  if (!isReadPragma(name))
    throw new RefusedQueryError(
      `PRAGMA ${name} is not allowed. Allowed, for reading: ${READ_PRAGMA_NAMES.join(', ')}.`,
    );
  if (rest.length === 0) return;
  if (!takesArgument(name))
    throw new RefusedQueryError(`PRAGMA ${name} can be read, not set: write it without a value.`);
  const isArgument = rest.length === 3 && isSymbol(rest[0], '(') && isSymbol(rest[2], ')');
  if (!isArgument)
    throw new RefusedQueryError(
      `Write PRAGMA ${name}(argument), with one argument in parentheses.`,
    );
}

/** Checks a name, also in a string, which SQLite accepts as a table name after FROM. */
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

function refuse(token: Token | undefined): RefusedQueryError {
  const text = token?.text ?? '';
  const reason = REASONS.get(wordOf(token));
  if (reason !== undefined)
    return new RefusedQueryError(`${text.toUpperCase()} is not allowed: ${reason}. ${ALLOWED}`);
  return new RefusedQueryError(
    `A query cannot start with ${JSON.stringify(text.slice(0, 40))}. ${ALLOWED}`,
  );
}

function wordOf(token: Token | undefined): string {
  return token?.kind === 'word' ? token.text.toLowerCase() : '';
}

function isSymbol(token: Token | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol;
}
