import type { Database } from 'better-sqlite3';
import type { CheckedQuery } from '../guard/check-query.ts';
import { RefusedQueryError } from '../guard/statement-tokens.ts';
import type { Token } from '../guard/tokenize.ts';
import { bindParameters } from './bind-parameters.ts';
import { listInstructions } from './check-program.ts';
import { resultBytes } from './compact-json.ts';
import { cutText } from './encode-cell.ts';
import type { ExplainQueryInput, PlanStep, QueryPlan } from './protocol.ts';
import { prepareQuery } from './prepare-query.ts';

export interface PlanLimits {
  readonly maxResultBytes: number;
}

interface PlanRow {
  readonly id: bigint;
  readonly parent: bigint;
  readonly detail: string;
}

interface MutableStep {
  readonly detail: string;
  readonly steps: MutableStep[];
}

const ENVELOPE_BYTES = 4096;
const MAX_DETAIL_BYTES = 1024;
const INDEXES = `SELECT rootpage, name FROM sqlite_schema WHERE type = 'index'`;
/** A scan of a table or subquery; SQLite adds `USING …` or `VIRTUAL TABLE …` for anything but a full scan of a table. */
const FULL_SCAN = /^SCAN (?!CONSTANT ROW$|\d+ CONSTANT ROWS$|\d+-ROW VALUES CLAUSE$|\()(.+)$/;
const NOT_FULL = / (?:USING (?:COVERING )?INDEX|VIRTUAL TABLE INDEX) /;
/** An index that SQLite builds for this statement, from the whole table. */
const AUTOMATIC_INDEX = /^SEARCH (.+) USING AUTOMATIC /;
const SUBQUERY = /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/;

/**
 * Returns the plan of a reading statement, without running it. Parameters without a value count as
 * NULL.
 * @throws RefusedQueryError, ParameterError, SqliteError
 */
export function explainQuery(
  database: Database,
  { query, params }: ExplainQueryInput,
  { maxResultBytes }: PlanLimits,
): QueryPlan {
  const { checked } = prepareQuery(database, query);
  if (checked.keyword === 'explain' || checked.keyword === 'pragma')
    throw new RefusedQueryError(
      `Only SELECT, WITH … SELECT and VALUES have a plan; pass the statement without ${checked.keyword.toUpperCase()}.`,
    );
  const parameters =
    params === undefined ? nullParameters(checked) : bindParameters(params, checked.tokens);
  const rows = database
    .prepare<unknown[], PlanRow>(`EXPLAIN QUERY PLAN ${query}`)
    .safeIntegers(true)
    .all(...parameters);
  const plan = {
    plan: toTree(rows),
    usesIndex: usedIndexes(database, query),
    fullScans: fullScans(rows.map((row) => row.detail)),
  };
  if (resultBytes(plan) + ENVELOPE_BYTES > maxResultBytes)
    throw new RefusedQueryError(
      `The plan has ${rows.length} steps and passes the result limit of ${maxResultBytes} bytes; explain a part of the query.`,
    );
  return plan;
}

/** Returns NULL for each parameter of the statement. */
function nullParameters({ tokens }: CheckedQuery): unknown[] {
  const variables = tokens.filter((token) => token.kind === 'variable').map(nameOf);
  const named = variables.filter((name) => name !== '');
  if (named.length === 0) return variables.map(() => null);
  const positional = variables.filter((name) => name === '').map(() => null);
  return [...positional, Object.fromEntries(named.map((name) => [name, null]))];
}

function nameOf({ text }: Token): string {
  return text.slice(1);
}

function toTree(rows: readonly PlanRow[]): readonly PlanStep[] {
  const roots: MutableStep[] = [];
  const byId = new Map<bigint, MutableStep>();
  for (const { id, parent, detail } of rows) {
    const step = { detail: cutText(detail, MAX_DETAIL_BYTES), steps: [] };
    byId.set(id, step);
    (byId.get(parent)?.steps ?? roots).push(step);
  }
  return roots.map(withoutEmpty);
}

function withoutEmpty({ detail, steps }: MutableStep): PlanStep {
  return steps.length === 0 ? { detail } : { detail, steps: steps.map(withoutEmpty) };
}

/**
 * Returns the names of the indexes that the byte code opens. The text of the plan would do only for
 * names without spaces and parentheses.
 */
function usedIndexes(database: Database, query: string): readonly string[] {
  const names = new Map(
    database
      .prepare<[], { rootpage: bigint; name: string }>(INDEXES)
      .safeIntegers(true)
      .all()
      .map(({ rootpage, name }) => [Number(rootpage), name]),
  );
  const used = listInstructions(database, query)
    .filter(({ opcode, p3 }) => (opcode === 'OpenRead' || opcode === 'ReopenIdx') && p3 === 0)
    .flatMap(({ p2 }) => names.get(p2) ?? []);
  return [...new Set(used)].toSorted();
}

function fullScans(details: readonly string[]): readonly string[] {
  const subqueries = new Set(details.flatMap((detail) => SUBQUERY.exec(detail)?.[1] ?? []));
  const scanned = details.flatMap((detail) => scannedTable(detail) ?? []);
  return [...new Set(scanned)].filter((name) => !subqueries.has(name));
}

function scannedTable(detail: string): string | undefined {
  const automatic = AUTOMATIC_INDEX.exec(detail)?.[1];
  if (automatic !== undefined || NOT_FULL.test(detail)) return automatic;
  return FULL_SCAN.exec(detail)?.[1]?.replace(/ LEFT-JOIN$/, '');
}
