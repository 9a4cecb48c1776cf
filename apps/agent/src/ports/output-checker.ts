import type { JsonObject } from '@signalbox/mcp-core';

/** Checks answers against JSON Schemas from clients. */
export interface OutputChecker {
  /** Returns the reason why the schema cannot be used, or undefined. */
  unusable(schema: JsonObject): Promise<string | undefined>;
  /** Returns the problems of an answer, one line for each location; empty for a valid answer. */
  problems(schema: JsonObject, output: unknown): Promise<readonly string[]>;
}
