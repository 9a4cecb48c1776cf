import { parentPort } from 'node:worker_threads';
import { evaluateJob } from './evaluate-job.ts';
import type { SchemaJob } from './schema-job.ts';

/** Main module of the schema worker thread. Answers jobs in order; a job that exceeds its limit terminates the thread. */
parentPort?.on(
  'message',
  (job: SchemaJob) => void evaluateJob(job).then((reply) => parentPort?.postMessage(reply)),
);
if (parentPort !== null) {
  // Loads the validator libraries before the time limit of the first job begins.
  await evaluateJob({ kind: 'compile', schema: '{}' });
  await evaluateJob({
    kind: 'compile',
    schema: '{"$schema":"http://json-schema.org/draft-07/schema#"}',
  });
  parentPort.postMessage('ready');
}
