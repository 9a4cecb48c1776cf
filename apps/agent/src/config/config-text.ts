import stripJsonComments from 'strip-json-comments';
import { findJsonProblem } from '../json-text.ts';
import { ConfigError } from './config.ts';

/**
 * Parses the text of a configuration file: JSON, in which comments, trailing commas and a byte order mark are allowed.
 * @throws ConfigError with line and column
 */
export function parseConfigText(text: string, path: string): unknown {
  // Comments become spaces, so that lines and columns stay what they are.
  const json = stripJsonComments(text.replace(/^\uFEFF/, ''), { trailingCommas: true });
  const problem = findJsonProblem(json);
  if (problem !== undefined)
    throw new ConfigError(
      `${path}:${problem.line}:${problem.column}: not valid JSON: ${problem.problem}`,
    );
  return JSON.parse(json);
}
