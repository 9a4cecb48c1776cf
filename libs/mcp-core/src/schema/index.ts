export { compileSchema } from './compile-schema.ts';
export type { CompiledSchema, CompileOptions, SchemaViolation } from './compile-schema.ts';
export { boundedSchemaText } from './schema-limits.ts';
export type { SchemaLimits } from './schema-limits.ts';
export type { JobOwner } from './worker/fair-queue.ts';
export { SchemaJobError, SchemaWorker } from './worker/schema-worker.ts';
export type { FinishedJob, SchemaWorkerOptions } from './worker/schema-worker.ts';
