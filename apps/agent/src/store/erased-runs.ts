import { sql } from 'kysely';
import type { RunStatus } from '../ports/store/run.ts';

/**
 * Status of a run whose rows are being deleted. No read returns the run, so that its rows can be
 * deleted in several transactions.
 */
export const ERASED = sql<RunStatus>`'erased'`;
