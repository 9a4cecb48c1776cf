import { READ_PRAGMA_NAMES, isReadPragma, takesArgument } from './pragmas.ts';
import {
  RefusedQueryError,
  checkNames,
  checkSingle,
  indexOfMainVerb,
  isSymbol,
  splitStatement,
  wordOf,
} from './statement-tokens.ts';
import type { Token } from './tokenize.ts';

export interface CheckedQuery {
  readonly keyword: 'select' | 'values' | 'with' | 'explain' | 'pragma';
  readonly tokens: readonly Token[];
}

const ALLOWED =
  'Allowed: one SELECT, WITH … SELECT, VALUES, EXPLAIN [QUERY PLAN] of those, or a reading PRAGMA.';
const MAX_WORD_LENGTH = 40;
const READS: ReadonlySet<string> = new Set(['select', 'values', 'with']);
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
  const tokens = splitStatement(sql);
  const [first] = tokens;
  if (first === undefined) throw new RefusedQueryError(`The query is empty. ${ALLOWED}`);
  checkSingle(tokens);
  const keyword = checkStatement(tokens, first);
  checkNames(tokens);
  return { keyword, tokens };
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

function checkWith(tokens: readonly Token[]): void {
  const verb = tokens[indexOfMainVerb(tokens)];
  if (verb !== undefined && !READS.has(wordOf(verb))) throw refuse(verb);
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

function refuse(token: Token | undefined): RefusedQueryError {
  const text = token?.text ?? '';
  const word = wordOf(token);
  const reason = REASONS.get(word);
  if (reason !== undefined)
    return new RefusedQueryError(`${text.toUpperCase()} is not allowed: ${reason}. ${ALLOWED}`);
  // No statement of SQLite begins with another word, so that this is its message.
  if (word !== '' && text.length <= MAX_WORD_LENGTH)
    return new RefusedQueryError(`SQLITE_ERROR: near "${text}": syntax error. ${ALLOWED}`);
  return new RefusedQueryError(
    `A query cannot start with ${JSON.stringify(text.slice(0, MAX_WORD_LENGTH))}. ${ALLOWED}`,
  );
}
