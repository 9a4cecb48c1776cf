import type { JsonObject } from '@signalbox/mcp-core';

/** Checks answers that must fit a JSON Schema which a client wrote. */
export interface OutputChecker {
  /** Why no answer can be checked with the schema; undefined when that can be done. */
  unusable(schema: JsonObject): Promise<string | undefined>;
  /** What is wrong with an answer, one line for each place; empty when it fits. */
  problems(schema: JsonObject, output: unknown): Promise<readonly string[]>;
}
