import { parentPort } from 'node:worker_threads';
import { evaluateJob } from './evaluate-job.ts';
import type { SchemaJob } from './schema-job.ts';

/** The worker thread: answers one job after the other. It is terminated when it takes too long, and then nothing of it is used any more. */
parentPort?.on('message', (job: SchemaJob) => parentPort?.postMessage(evaluateJob(job)));
parentPort?.postMessage('ready');
