import type { JsonSchema } from '../protocol/tools.ts';
import { dialectOf } from './dialect.ts';
import { quickCheck } from './quick-check.ts';
import type { QuickProblem } from './quick-verdict.ts';
import {
  EvaluationUnavailableError,
  isTemporary,
  type SchemaEvaluator,
} from './schema-evaluator.ts';
import { boundedSchemaText } from './schema-limits.ts';
import type { EvaluationJob } from './worker/evaluation-job.ts';
import type { JobOwner } from './worker/fair-queue.ts';

/** Steps that take about 50 ms. */
const MAX_STEPS = 1_000_000;

interface WorkerModule {
  readonly evaluateInWorker: (owner: JobOwner, job: EvaluationJob) => Promise<readonly string[]>;
}

/**
 * Returns the default evaluator of clients. It evaluates JSON Schema 2020-12 and draft-07 in bounded time: ordinary schemas and values in this thread, in at most
 * a million steps; regular expressions, rare keywords and long values in a worker thread, with 1 s of processor time and 96 MiB. All evaluators of a process share
 * the thread, which starts on first use.
 */
export function createSchemaEvaluator(): SchemaEvaluator {
  return new WorkerEvaluator();
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
