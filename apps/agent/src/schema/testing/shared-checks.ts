import { SchemaChecks } from '../schema-checks.ts';

/** Schema checks for all tests of a process that do not test the checks: each start of their thread takes 0.1 s of processor time. */
export const sharedChecks = new SchemaChecks();
