import type { JsonSchema } from '../protocol/tools.ts';
import { dialectOf } from './dialect.ts';
import { quickCheck, type QuickProblem } from './quick-check.ts';
import { boundedSchemaText } from './schema-limits.ts';
import type { EvaluationJob } from './worker/evaluation-job.ts';
import type { JobOwner } from './worker/fair-queue.ts';

/** Evaluates schemas that a peer wrote, whose evaluation may be made to take for ever. */
export interface SchemaEvaluator {
  /**
   * The problems of a value, one sentence each; empty when it conforms. Throws, or rejects with, an Error that says why the schema cannot be used; nothing
   * is known of the value then. The schema is not evaluated again, unless the error is an EvaluationUnavailableError.
   */
  check(schema: JsonSchema, value: unknown): readonly string[] | Promise<readonly string[]>;
}

/** A value cannot be evaluated at present, for want of descriptors, memory or room in a queue. Its schema may be usable later. */
export class EvaluationUnavailableError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'EvaluationUnavailableError';
  }
}

/** About 50 ms. */
const MAX_STEPS = 1_000_000;

interface WorkerModule {
  readonly evaluateInWorker: (owner: JobOwner, job: EvaluationJob) => Promise<readonly string[]>;
}

/**
 * Evaluates JSON Schema 2020-12 and draft-07 in bounded time: ordinary schemas and values at once in this thread, in at most a million steps, the others
 * (regular expressions, rarer keywords, long values) in a worker thread. All evaluators of a process share the thread, which the first such value starts;
 * each evaluator takes its turn. `format` is an annotation.
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

/** A SchemaJobError, or an error of the system while the module is loaded. */
function isTemporary(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if ('isTemporary' in error) return error.isTemporary === true;
  return EXHAUSTED_CODES.has((error as NodeJS.ErrnoException).code);
}

/** Without a free descriptor Node says that the package.json, which it looks for first, is invalid. */
const EXHAUSTED_CODES: ReadonlySet<unknown> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ERR_INVALID_PACKAGE_CONFIG',
]);

function toSentence({ path, text }: QuickProblem): string {
  const place = path.reduce<string>(
    (before, step) =>
      typeof step === 'number'
        ? `${before}[${String(step)}]`
        : before === ''
          ? step
          : `${before}.${step}`,
    '',
  );
  return `${place === '' ? 'The value' : `"${place}"`} ${text}.`;
}
