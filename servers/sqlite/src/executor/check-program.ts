import type { Database } from 'better-sqlite3';
import type { CheckedWrite } from '../guard/check-write.ts';
import { RefusedQueryError } from '../guard/statement-tokens.ts';

/** An instruction of the byte code of a statement. @see https://www.sqlite.org/opcode.html */
export interface Instruction {
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
  readonly p3: number;
  readonly p4: string | null;
}

/** An instruction as a row of EXPLAIN. */
type InstructionRow = readonly [
  address: number,
  opcode: string,
  p1: number,
  p2: number,
  p3: number,
  p4: string | null,
];

/** better-sqlite3 13 has `explain`; its published types end at version 9. */
interface ExplainingDatabase {
  explain(sql: string): readonly Instruction[];
}

/** Instructions that leave the transaction or the database file of the call. */
const FORBIDDEN_ALWAYS: ReadonlySet<string> = new Set([
  'AutoCommit',
  'Checkpoint',
  'IncrVacuum',
  'JournalMode',
  'Savepoint',
  'Vacuum',
]);
/** Instructions that change the schema. */
const SCHEMA_CHANGES: ReadonlySet<string> = new Set([
  'CreateBtree',
  'Destroy',
  'DropIndex',
  'DropTable',
  'DropTrigger',
  'ParseSchema',
  'SetCookie',
  'SqlExec',
  'VCreate',
  'VDestroy',
  'VRename',
]);
/** Instructions that change rows. */
const ROW_CHANGES: ReadonlySet<string> = new Set(['OpenWrite', 'VBegin', 'VUpdate']);
const FORBIDDEN_FUNCTION = /^(?:load_extension|sqlite_attach|sqlite_detach|fts3_tokenizer)\b/i;
const MAIN_DATABASE = 0;
const TEMPORARY_DATABASE = 1;
/** Root page of the table that holds the schema. */
const SCHEMA_ROOT = 1;

/**
 * Inspects the byte code of a reading statement and refuses every instruction that could write,
 * lock or open a file. `hasParameters` is false only for a statement without any.
 * @throws RefusedQueryError
 * @see https://www.sqlite.org/opcode.html
 */
export function checkProgram(database: Database, sql: string, hasParameters = true): void {
  const forbidden = listInstructions(database, sql, hasParameters).find(
    (instruction) =>
      isForbidden(instruction) ||
      SCHEMA_CHANGES.has(instruction.opcode) ||
      ROW_CHANGES.has(instruction.opcode) ||
      (instruction.opcode === 'Transaction' && instruction.p2 !== 0),
  );
  if (forbidden !== undefined)
    throw new RefusedQueryError(`The statement would do more than read (${forbidden.opcode}).`);
}

/**
 * Inspects the byte code of a writing statement, with that of its triggers. Refuses every instruction
 * that leaves the transaction or the main database; in a statement for rows also those that change
 * the schema.
 * @throws RefusedQueryError
 */
export function checkWriteProgram(
  database: Database,
  sql: string,
  { kind, verb }: Pick<CheckedWrite, 'kind' | 'verb'>,
): void {
  const forbidden = listInstructions(database, sql).find(
    (instruction) =>
      isForbidden(instruction) ||
      (kind === 'rows' && changesSchema(instruction)) ||
      isOutside(instruction, verb === 'alter' ? TEMPORARY_DATABASE : MAIN_DATABASE),
  );
  if (forbidden !== undefined)
    throw new RefusedQueryError(
      `The statement would do more than change ${kind === 'rows' ? 'rows' : 'the schema'} (${forbidden.opcode}).`,
    );
}

/**
 * Returns the byte code of a statement that the guard allows to compile. Without parameters it takes
 * less time, because better-sqlite3 compiles no function that makes objects.
 */
export function listInstructions(
  database: Database,
  sql: string,
  hasParameters = true,
): readonly Instruction[] {
  // The cast adds the method of ExplainingDatabase.
  if (hasParameters) return (database as unknown as ExplainingDatabase).explain(sql);
  return database
    .prepare<[], InstructionRow>(`EXPLAIN ${sql}`)
    .raw(true)
    .all()
    .map(([, opcode, p1, p2, p3, p4]) => ({ opcode, p1, p2, p3, p4 }));
}

function isForbidden({ opcode, p4 }: Instruction): boolean {
  const isFunction = opcode === 'Function' || opcode === 'PureFunc';
  return isFunction ? p4 !== null && FORBIDDEN_FUNCTION.test(p4) : FORBIDDEN_ALWAYS.has(opcode);
}

function changesSchema({ opcode, p2 }: Instruction): boolean {
  return SCHEMA_CHANGES.has(opcode) || (opcode === 'OpenWrite' && p2 === SCHEMA_ROOT);
}

/**
 * Whether an instruction writes to a database after `last`. ALTER TABLE also writes the schema of
 * temporary objects.
 */
function isOutside({ opcode, p1, p2, p3 }: Instruction, last: number): boolean {
  if (opcode === 'Transaction') return p2 !== 0 && p1 > last;
  return opcode === 'OpenWrite' && p3 > last;
}
