import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { redoclyProblems, seriousmeProblems } from '../../peers/src/openapi-validators.ts';

const text = readFileSync(new URL('../../../apps/agent/openapi.json', import.meta.url), 'utf8');

describe('the OpenAPI document of the agent', () => {
  test('is valid for the validator of @seriousme', async () => {
    expect(await seriousmeProblems(text)).toEqual([]);
    expect(
      await seriousmeProblems(text.replace('"operationId": "createRun"', '"operationId": 7')),
    ).not.toEqual([]);
  });

  test('has no error and no warning of the recommended rules of Redocly', async () => {
    expect(await redoclyProblems(text)).toEqual([]);
    expect(
      await redoclyProblems(
        text.replace('"operationId": "createRun"', '"operationId": "listRuns"'),
      ),
    ).not.toEqual([]);
  });
});
