import { closeSync, openSync } from 'node:fs';
import { SchemaChecks } from '../schema-checks.ts';

/**
 * Test process with few file descriptors: uses all of them, lets the schema worker be terminated,
 * releases them, and reports the results.
 */
const PATTERN = { properties: { a: { pattern: '^(x+)+$' } } };
const checks = new SchemaChecks();
const check = async (a: string): Promise<string> => {
  try {
    return (await checks.argumentProblem('hostile', PATTERN, { a })) ?? 'fits';
  } catch (error) {
    return String(error);
  }
};

const before = await check('xxx');
const descriptors = takeAll();
const hostile = await check(`${'x'.repeat(60)}!`);
const ordinary =
  checks.argumentProblem('calm', { properties: { a: { type: 'string' } } }, { a: 'x' }) ?? 'fits';
const waiting = check('xxx');
for (const descriptor of descriptors) closeSync(descriptor);
process.stdout.write(JSON.stringify({ before, hostile, ordinary, after: await waiting }));
await checks.close();

function takeAll(): readonly number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    return taken;
  }
}
