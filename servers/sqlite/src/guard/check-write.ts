import { checkChange, type Change } from './classify-change.ts';
import { checkDefinition } from './classify-definition.ts';
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

/**
 * The kinds of writing statements: `rows` for INSERT, UPDATE, DELETE and REPLACE; `table` for CREATE
 * TABLE; `schema` for the other CREATE statements, ALTER and DROP.
 */
export type WriteKind = 'rows' | 'table' | 'schema';

export interface CheckedWrite extends Change {
  readonly kind: WriteKind;
  readonly tokens: readonly Token[];
}

const TOOL_OF: { readonly [Kind in WriteKind]: string } = {
  rows: 'write_query',
  table: 'create_table',
  schema: 'alter_schema',
};
const ALLOWED: { readonly [Kind in WriteKind]: string } = {
  rows: 'INSERT, UPDATE, DELETE or REPLACE, also after WITH',
  table: 'CREATE TABLE',
  schema: 'CREATE INDEX, CREATE VIEW, CREATE TRIGGER, ALTER TABLE or DROP',
};
const READS: ReadonlySet<string> = new Set(['select', 'values', 'explain', 'pragma']);
const REASONS: ReadonlyMap<string, string> = new Map([
  ...['attach', 'detach'].map(
    (word) => [word, 'the server works on its own database files'] as const,
  ),
  ...['begin', 'commit', 'end', 'rollback', 'savepoint', 'release'].map(
    (word) =>
      [
        word,
        'each call is a transaction of its own; execute_batch runs several statements in one',
      ] as const,
  ),
  ...['vacuum', 'reindex', 'analyze'].map(
    (word) => [word, 'maintenance of the file is not a task of this server'] as const,
  ),
]);

/**
 * Decides from the text whether a statement may be passed to SQLite for writing, and how
 * destructive it is.
 * @throws RefusedQueryError for every statement that is not of one of `kinds`
 */
export function checkWrite(sql: string, kinds: readonly WriteKind[]): CheckedWrite {
  const tokens = splitStatement(sql);
  const [first] = tokens;
  const allowed = `Allowed: one ${kinds.map((kind) => ALLOWED[kind]).join(', ')}.`;
  if (first === undefined) throw new RefusedQueryError(`The statement is empty. ${allowed}`);
  const isTrigger = isTriggerDefinition(tokens);
  if (!isTrigger) checkSingle(tokens);
  const verb = wordOf(first) === 'with' ? tokens[indexOfMainVerb(tokens)] : first;
  const kind = kindOf(tokens, verb);
  if (kind === undefined) throw refuse(verb ?? first, allowed);
  if (!kinds.includes(kind))
    throw new RefusedQueryError(
      `${(verb ?? first).text.toUpperCase()} belongs to ${TOOL_OF[kind]}: this tool does not run it. ${allowed}`,
    );
  checkNames(tokens);
  const change =
    kind === 'rows' ? checkChange(tokens, tokens.indexOf(verb ?? first)) : checkDefinition(tokens);
  return { ...change, kind, tokens };
}

function kindOf(tokens: readonly Token[], verb: Token | undefined): WriteKind | undefined {
  switch (wordOf(verb)) {
    case 'insert':
    case 'replace':
    case 'update':
    case 'delete':
      return 'rows';
    case 'create':
      return tokens.slice(1, 4).some((token) => wordOf(token) === 'table') &&
        !['index', 'view', 'trigger', 'unique'].includes(wordOf(tokens[1]))
        ? 'table'
        : 'schema';
    case 'alter':
    case 'drop':
      return 'schema';
    default:
      return undefined;
  }
}

/** Whether the semicolons of the statement are inside the body of a trigger, which ends with END. */
function isTriggerDefinition(tokens: readonly Token[]): boolean {
  const isCreate = wordOf(tokens[0]) === 'create';
  const head = tokens.slice(
    1,
    tokens.findIndex((token) => isSymbol(token, ';')),
  );
  return (
    isCreate &&
    ['trigger', 'temp', 'temporary'].includes(wordOf(tokens[1])) &&
    head.some((token) => wordOf(token) === 'begin') &&
    wordOf(tokens.at(-1)) === 'end'
  );
}

function refuse(token: Token, allowed: string): RefusedQueryError {
  const word = wordOf(token);
  const shown = token.text.toUpperCase().slice(0, 40);
  if (READS.has(word))
    return new RefusedQueryError(
      word === 'pragma'
        ? `PRAGMA is not allowed here: settings cannot be changed, and read_query reads them. ${allowed}`
        : `${shown} changes nothing: use read_query. ${allowed}`,
    );
  const reason = REASONS.get(word);
  return new RefusedQueryError(
    reason === undefined
      ? `A statement cannot start with ${JSON.stringify(token.text.slice(0, 40))}. ${allowed}`
      : `${shown} is not allowed: ${reason}. ${allowed}`,
  );
}
