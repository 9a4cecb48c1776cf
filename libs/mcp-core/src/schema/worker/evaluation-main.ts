import { parentPort } from 'node:worker_threads';
import type { JsonSchema } from '../../protocol/tools.ts';
import { SchemaValidator } from '../schema-validator.ts';
import type { EvaluationJob, EvaluationResult } from './evaluation-job.ts';

/** Main module of the thread of `evaluateInWorker`. A job that takes too long ends the thread. */
const validator = new SchemaValidator({ assertsFormats: false, maxSchemas: 100 });

parentPort?.on(
  'message',
  (job: EvaluationJob) => void evaluate(job).then((result) => parentPort?.postMessage(result)),
);
if (parentPort !== null) {
  // The library is loaded before the time limit of a job begins.
  await validator.compile({});
  parentPort.postMessage('ready');
}

async function evaluate({ schema, value }: EvaluationJob): Promise<EvaluationResult> {
  try {
    const check = await validator.compile(JSON.parse(schema) as JsonSchema);
    return { problems: check(JSON.parse(value)) };
  } catch (error) {
    return { unusable: error instanceof Error ? error.message : String(error) };
  }
}
