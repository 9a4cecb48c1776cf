export { SchemaJobError, SchemaWorker } from './schema-worker.ts';
export type { AnsweredJob, SchemaWorkerOptions } from './schema-worker.ts';
export type { JobOwner } from './fair-queue.ts';
