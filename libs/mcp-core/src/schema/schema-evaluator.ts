import type { JsonSchema } from '../protocol/tools.ts';
import { dialectOf } from './dialect.ts';
import { quickCheck } from './quick-check.ts';
import type { QuickProblem } from './quick-verdict.ts';
import { boundedSchemaText } from './schema-limits.ts';
import type { EvaluationJob } from './worker/evaluation-job.ts';
import type { JobOwner } from './worker/fair-queue.ts';

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

/** Steps that take about 50 ms. */
const MAX_STEPS = 1_000_000;

interface WorkerModule {
  readonly evaluateInWorker: (owner: JobOwner, job: EvaluationJob) => Promise<readonly string[]>;
}

/**
 * Evaluates JSON Schema 2020-12 and draft-07 in bounded time: ordinary schemas and values in this
 * thread, in at most a million steps; regular expressions, rare keywords and long values in a
 * worker thread. All evaluators of a process share the thread, which starts on first use and serves
 * them in turn. `format` is an annotation.
 * @see https://json-schema.org/draft/2020-12/json-schema-validation#section-7.2.1
 */
export class WorkerEvaluator implements SchemaEvaluator {
  readonly #loadWorker: () => Promise<WorkerModule>;
  readonly #readable = new WeakSet<JsonSchema>();

  constructor(
    loadWorker: () => Promise<WorkerModule> = () => import('./worker/evaluate-in-worker.ts'),
  ) {
    this.#loadWorker = loadWorker;
  }

  check(schema: JsonSchema, value: unknown): readonly string[] | Promise<readonly string[]> {
    if (!this.#readable.has(schema)) {
      dialectOf(schema);
      boundedSchemaText(schema);
      this.#readable.add(schema);
    }
    const verdict = quickCheck(schema, value, MAX_STEPS);
    if (verdict === 'fits') return [];
    return typeof verdict === 'object' ? [toSentence(verdict)] : this.#checkInWorker(schema, value);
  }

  async #checkInWorker(schema: JsonSchema, value: unknown): Promise<readonly string[]> {
    try {
      const { evaluateInWorker } = await this.#loadWorker();
      return await evaluateInWorker(this, {
        schema: JSON.stringify(schema),
        value: JSON.stringify(value),
      });
    } catch (error) {
      throw isTemporary(error)
        ? new EvaluationUnavailableError(`It cannot be evaluated at present: ${error.message}`, {
            cause: error,
          })
        : error;
    }
  }
}

/** Whether an error is a temporary SchemaJobError, or a system error while the module loads. */
function isTemporary(error: unknown): error is Error {
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

function toSentence({ path, text }: QuickProblem): string {
  const field = path.reduce<string>(
    (before, step) =>
      typeof step === 'number'
        ? `${before}[${String(step)}]`
        : before === ''
          ? step
          : `${before}.${step}`,
    '',
  );
  return `${field === '' ? 'The value' : `"${field}"`} ${text}.`;
}
