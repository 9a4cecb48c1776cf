import type { Database } from 'better-sqlite3';
import { RefusedQueryError } from '../guard/check-query.ts';

/** An instruction of the byte code of a statement. @see https://www.sqlite.org/opcode.html */
export interface Instruction {
  readonly opcode: string;
  readonly p2: number;
  readonly p3: number;
  readonly p4: string | null;
}

/** better-sqlite3 13 has `explain`; its published types end at version 9. */
interface ExplainingDatabase {
  explain(sql: string): readonly Instruction[];
}

const FORBIDDEN_OPCODES: ReadonlySet<string> = new Set([
  'AutoCommit',
  'Checkpoint',
  'CreateBtree',
  'Destroy',
  'IncrVacuum',
  'JournalMode',
  'OpenWrite',
  'ParseSchema',
  'Savepoint',
  'SetCookie',
  'SqlExec',
  'VBegin',
  'VCreate',
  'VDestroy',
  'VRename',
  'VUpdate',
  'Vacuum',
]);
const FORBIDDEN_FUNCTION = /^(?:load_extension|sqlite_attach|sqlite_detach|fts3_tokenizer)\b/i;

/**
 * Inspects the byte code of a statement and refuses every instruction that could write, lock or
 * open a file.
 * @throws RefusedQueryError
 * @see https://www.sqlite.org/opcode.html
 */
export function checkProgram(database: Database, sql: string): void {
  const forbidden = listInstructions(database, sql).find(isForbidden);
  if (forbidden !== undefined)
    throw new RefusedQueryError(`The statement would do more than read (${forbidden.opcode}).`);
}

/** Returns the byte code of a statement that the guard allows to compile. */
export function listInstructions(database: Database, sql: string): readonly Instruction[] {
  // The cast adds the method of ExplainingDatabase.
  return (database as unknown as ExplainingDatabase).explain(sql);
}

function isForbidden({ opcode, p2, p4 }: Instruction): boolean {
  if (opcode === 'Transaction') return p2 !== 0;
  if (opcode === 'Function' || opcode === 'PureFunc')
    return p4 !== null && FORBIDDEN_FUNCTION.test(p4);
  return FORBIDDEN_OPCODES.has(opcode);
}
