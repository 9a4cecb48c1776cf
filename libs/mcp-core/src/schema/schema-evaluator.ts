import type { JsonSchema } from '../protocol/tools.ts';

/** Evaluates schemas of a peer, whose evaluation may be made to take forever. */
export interface SchemaEvaluator {
  /**
   * Lists the problems of a value, one sentence each. Throws or rejects with an Error that
   * describes why the schema cannot be used; the value is then neither valid nor invalid. The
   * schema is not evaluated again, unless the error is an EvaluationUnavailableError.
   */
  check(schema: JsonSchema, value: unknown): readonly string[] | Promise<readonly string[]>;
}

/**
 * A temporary failure: descriptors, memory or queue space are exhausted. The schema may be usable
 * later.
 */
export class EvaluationUnavailableError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'EvaluationUnavailableError';
  }
}

/** Whether an error is a temporary SchemaJobError, or a system error while a module loads. */
export function isTemporary(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if ('isTemporary' in error) return error.isTemporary === true;
  return EXHAUSTED_CODES.has((error as NodeJS.ErrnoException).code);
}

/**
 * Error codes of exhausted resources. Without a free descriptor Node reports an invalid
 * package.json.
 */
const EXHAUSTED_CODES: ReadonlySet<unknown> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ERR_INVALID_PACKAGE_CONFIG',
]);
