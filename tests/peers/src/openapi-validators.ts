import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';

/**
 * Returns the problems that the validator of the `@seriousme` package finds in an OpenAPI document.
 */
export async function seriousmeProblems(text: string): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(text);
  return valid ? [] : errors;
}

/**
 * Returns the problems and warnings that Redocly finds in an OpenAPI document with its recommended
 * rules.
 */
export async function redoclyProblems(text: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
  );
}
