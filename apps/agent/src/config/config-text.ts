import stripJsonComments from 'strip-json-comments';
import { findJsonProblem } from '../json/json-text.ts';
import { ConfigError } from './config.ts';

/**
 * Parses a configuration file: JSON that may have comments, trailing commas and a byte order mark.
 * @throws ConfigError with line and column
 */
export function parseConfigText(text: string, path: string): unknown {
  // Comments become spaces to preserve lines and columns.
  const json = stripJsonComments(text.replace(/^\uFEFF/, ''), { trailingCommas: true });
  const problem = findJsonProblem(json);
  if (problem !== undefined)
    throw new ConfigError(
      `${path}:${problem.line}:${problem.column}: not valid JSON: ${problem.problem}`,
    );
  return JSON.parse(json);
}
