import type { OutputChecker } from '../ports/output-checker.ts';
import { SchemaChecks, SchemaError } from './schema-checks.ts';

/** Whose turn the schemas of clients take. */
const OWNER = 'output schemas';

/** Schemas for objects, with the limits of the schemas of tools. */
export function createOutputChecker(checks = new SchemaChecks()): OutputChecker {
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
