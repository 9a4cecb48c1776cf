import type { OutputChecker } from '../ports/output-checker.ts';
import { SchemaError, type SchemaChecks } from './schema-checks.ts';

/** Owner of client schemas in the schema worker's queue. */
const OWNER = 'output schemas';

/** Creates a checker of answers for object schemas, with the limits of tool schemas. */
export function createOutputChecker(checks: SchemaChecks): OutputChecker {
  return {
    async unusable(schema) {
      if (schema['type'] !== 'object') return 'it must have "type": "object"';
      try {
        await checks.assertUsable(OWNER, schema);
        return undefined;
      } catch (error) {
        return `it ${reasonOf(error)}`;
      }
    },
    async problems(schema, output) {
      try {
        return await checks.problems(OWNER, schema, { root: 'the answer', value: output });
      } catch (error) {
        return [`the answer cannot be checked: the schema ${reasonOf(error)}`];
      }
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof SchemaError) return error.message;
  throw error;
}
