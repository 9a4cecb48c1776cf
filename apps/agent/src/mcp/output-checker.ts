import type { JsonObject } from '@signalbox/mcp-core';
import type { OutputChecker } from '../ports/output-checker.ts';
import { schemaProblems } from './argument-errors.ts';
import { compileSchema, VALIDATE_LIMIT_MS } from './argument-validator.ts';
import { createBoundedEvaluation } from './bounded-evaluation.ts';

/** Schemas for objects, with the limits of the schemas of tools. */
export function createOutputChecker(): OutputChecker {
  const evaluate = createBoundedEvaluation();
  const problems = (schema: JsonObject, output: unknown): readonly string[] => {
    const validate = compileSchema(schema, evaluate, { allErrors: true });
    return evaluate(VALIDATE_LIMIT_MS, () => (validate(output) ? [] : schemaProblems(validate.errors ?? [], 'the answer')));
  };
  const unusable = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 300).replace(/^its input schema/, 'it');
  return {
    unusable(schema) {
      if (schema['type'] !== 'object') return 'it must have "type": "object"';
      try {
        // A schema that refers to itself without end compiles and fails when it is used.
        problems(schema, {});
        return undefined;
      } catch (error) {
        return unusable(error);
      }
    },
    problems(schema, output) {
      try {
        return problems(schema, output);
      } catch (error) {
        return [`the answer cannot be checked: ${unusable(error)}`];
      }
    },
  };
}
