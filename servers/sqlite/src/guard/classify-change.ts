import { RefusedQueryError, isSymbol, wordOf } from './statement-tokens.ts';
import type { Token } from './tokenize.ts';

/** The effect of a writing statement on what exists. */
export interface Change {
  readonly verb: string;
  /** The kind of object that is changed: `rows`, or `table`, `index`, `view`, `trigger`. */
  readonly object: string;
  /** Name of the changed table, view, index or trigger. */
  readonly target: string;
  /**
   * `adds`: leaves existing rows and objects as they are. `changes`: changes some of them.
   * `destroys`: changes or deletes all rows, or drops an object or column.
   */
  readonly effect: 'adds' | 'changes' | 'destroys';
}

/** Words of an expression that name no column. */
const CONSTANT_WORDS: ReadonlySet<string> = new Set([
  'and',
  'between',
  'false',
  'glob',
  'in',
  'is',
  'isnull',
  'like',
  'not',
  'notnull',
  'null',
  'or',
  'true',
]);
/** Clauses that can follow WHERE. */
const CLAUSES_AFTER_WHERE: ReadonlySet<string> = new Set(['returning', 'order', 'limit']);

/**
 * Classifies an INSERT, REPLACE, UPDATE or DELETE whose verb is at `verbIndex`.
 * @throws RefusedQueryError for tables of SQLite itself and other schemas
 */
export function checkChange(tokens: readonly Token[], verbIndex: number): Change {
  const verb = wordOf(tokens[verbIndex]);
  const rest = tokens.slice(verbIndex + 1);
  const conflict = wordOf(rest[0]) === 'or' ? wordOf(rest[1]) : '';
  const afterConflict = conflict === '' ? rest : rest.slice(2);
  const hasWord = ['into', 'from'].includes(wordOf(afterConflict[0]));
  const target = readTarget(hasWord ? afterConflict.slice(1) : afterConflict);
  const isFiltered = filters(rest);
  const replaces = verb === 'replace' || conflict === 'replace' || hasUpsert(rest);
  if (verb === 'insert' || verb === 'replace')
    return { verb, object: 'rows', target, effect: replaces ? 'changes' : 'adds' };
  return { verb, object: 'rows', target, effect: isFiltered ? 'changes' : 'destroys' };
}

/**
 * Returns the name at the start of the tokens, after the schema `main` if there is one.
 * @throws RefusedQueryError
 */
export function readTarget(tokens: readonly Token[]): string {
  const isQualified = isSymbol(tokens[1], '.');
  const schema = isQualified ? (tokens[0]?.text ?? '').toLowerCase() : 'main';
  if (schema !== 'main')
    throw new RefusedQueryError(`Only the schema main can be changed, not ${schema}.`);
  const name = tokens[isQualified ? 2 : 0];
  if (name === undefined || !['word', 'quoted', 'string'].includes(name.kind))
    throw new RefusedQueryError('The statement does not name what it changes.');
  if (/^sqlite_/i.test(name.text))
    throw new RefusedQueryError(`${name.text} belongs to SQLite and cannot be changed.`);
  return name.text;
}

/** Whether a WHERE outside parentheses can be false for some rows: it has a name or a parameter. */
function filters(tokens: readonly Token[]): boolean {
  const start = indexAtTop(tokens, (token) => wordOf(token) === 'where');
  if (start === -1) return false;
  const after = tokens.slice(start + 1);
  const end = indexAtTop(after, (token) => CLAUSES_AFTER_WHERE.has(wordOf(token)));
  const condition = end === -1 ? after : after.slice(0, end);
  return condition.some(
    (token) =>
      token.kind === 'quoted' ||
      (token.kind === 'word' && !CONSTANT_WORDS.has(token.text.toLowerCase())),
  );
}

/** Whether the statement has ON CONFLICT … DO UPDATE. */
function hasUpsert(tokens: readonly Token[]): boolean {
  return tokens.some(
    (token, index) => wordOf(token) === 'do' && wordOf(tokens[index + 1]) === 'update',
  );
}

/** Returns the index of the first matching token outside parentheses, or -1. */
function indexAtTop(tokens: readonly Token[], matches: (token: Token) => boolean): number {
  let depth = 0;
  return tokens.findIndex((token) => {
    if (isSymbol(token, '(')) depth += 1;
    if (isSymbol(token, ')')) depth -= 1;
    return depth === 0 && matches(token);
  });
}
