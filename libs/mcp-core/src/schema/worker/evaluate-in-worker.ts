import { extname, join } from 'node:path';
import type { EvaluationJob, EvaluationResult } from './evaluation-job.ts';
import { SchemaWorker } from './schema-worker.ts';
import type { JobOwner } from './fair-queue.ts';

/** Processor time in milliseconds for compiling a schema and checking one value. */
const LIMIT_MS = 1000;
/** Milliseconds without a job after which the thread ends. */
const IDLE_MS = 60_000;

/** The thread shared by all clients of the process. */
const worker = new SchemaWorker<EvaluationJob, EvaluationResult>({
  // Located beside this file, built or not.
  main: join(import.meta.dirname, `evaluation-main${extname(import.meta.filename)}`),
  lengthOf: ({ schema, value }) => schema.length + value.length,
  idleMs: IDLE_MS,
});

/**
 * Lists the problems of a value, one sentence each. `format` is an annotation. Rejects with an
 * Error that describes why the schema cannot be used, or with SchemaJobError after a second of
 * processor time or 96 MiB. Owners take turns.
 */
export async function evaluateInWorker(
  owner: JobOwner,
  job: EvaluationJob,
): Promise<readonly string[]> {
  const { result } = await worker.run(owner, job, LIMIT_MS);
  if (result.unusable !== undefined) throw new Error(result.unusable);
  return result.problems;
}
