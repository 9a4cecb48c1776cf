import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { JsonObject } from '@signalbox/mcp-core';
import { afterEach, describe, expect, test } from 'vitest';
import { evaluateJob } from './evaluate-job.ts';
import { SchemaChecks, type SchemaLimits } from './schema-checks.ts';

const opened: SchemaChecks[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((checks) => checks.close()));
});

function open(limits: Partial<SchemaLimits> = {}): SchemaChecks {
  const checks = new SchemaChecks(limits);
  opened.push(checks);
  return checks;
}

/**
 * Returns the most processor time in milliseconds that the thread used without a turn of the event
 * loop during the work. The load of the machine does not count.
 */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  const measure = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
  };
  const timer = setInterval(measure, 1);
  await work();
  clearInterval(timer);
  measure();
  return longest;
}

const choices: JsonObject = {
  type: 'object',
  properties: {
    list: { items: { anyOf: Array.from({ length: 6000 }, (_, index) => ({ const: index })) } },
  },
};
const items: JsonObject = { list: Array.from({ length: 10_000 }, () => 5999) };

describe('slow schema checks run in the worker thread', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['thousands of choices for each of ten thousand entries', choices, items],
    [
      'a pattern that backtracks',
      { type: 'object', properties: { a: { pattern: '^(x+)+$' } } },
      { a: `${'x'.repeat(60)}!` },
    ],
    [
      'a comparison of all with all',
      { type: 'object', properties: { a: { uniqueItems: true } } },
      { a: Array.from({ length: 20_000 }, (_, index) => ({ index })) },
    ],
  ])(
    '%s is stopped, and the main loop and other owners continue',
    async (_title, schema, value) => {
      const checks = open({ checkMs: 200 });
      await checks.assertUsable('calm', { pattern: '^x' });
      const before = process.memoryUsage().rss;
      let other: unknown;
      const stall = await longestStall(async () => {
        const slow = Promise.resolve(checks.argumentProblem('hostile', schema, value)).catch(
          (error: unknown) => String(error),
        );
        other = await checks.argumentProblem(
          'calm',
          { properties: { a: { pattern: '^y' } } },
          { a: 'x' },
        );
        expect(await slow).toMatch(
          /cannot be evaluated: took (longer than 200 ms|more than 96 MiB of memory)/,
        );
      });
      expect(other).toContain('must match pattern');
      expect(stall).toBeLessThan(400);
      expect(process.memoryUsage().rss - before).toBeLessThan(600 * 1024 * 1024);
    },
  );

  test('control: without the thread a slow pattern blocks the event loop', async () => {
    const stall = await longestStall(() =>
      Promise.resolve(
        evaluateJob({
          kind: 'arguments',
          schema: '{"properties":{"a":{"pattern":"^(x+)+$"}}}',
          value: JSON.stringify({ a: `${'x'.repeat(24)}!` }),
        }),
      ),
    );
    expect(stall).toBeGreaterThan(100);
  });

  test('schemas that are slow to compile cost only their owner, once', async () => {
    const checks = open();
    const huge = {
      properties: Object.fromEntries(
        Array.from({ length: 5000 }, (_, index) => [
          `field${String(index)}`,
          { type: ['string', 'null'], minLength: index },
        ]),
      ),
    };
    const stall = await longestStall(() =>
      checks.assertUsable('hostile', huge).catch(() => undefined),
    );
    expect(stall).toBeLessThan(400);
    expect(await checks.assertUsable('calm', { pattern: '^x' })).toBeGreaterThan(0);
  });
});

test('a schema is checked once for all owners', async () => {
  const checks = open();
  expect(await checks.assertUsable('a', { pattern: '^x' })).toBeGreaterThan(0);
  expect(await checks.assertUsable('b', { pattern: '^x' })).toBe(0);
  await expect(checks.assertUsable('a', { $ref: '#/none' })).rejects.toThrow(/^does not compile/);
  await expect(checks.assertUsable('b', { $ref: '#/none' })).rejects.toThrow(/^does not compile/);
});

test('an ordinary schema and its valid values need no thread', async () => {
  const checks = open();
  await checks.close();
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  expect(await checks.assertUsable('a', schema)).toBe(0);
  expect(checks.argumentProblem('a', schema, { a: 'x' })).toBeUndefined();
  await expect(checks.argumentProblem('a', schema, { a: 1 })).rejects.toThrow(
    'the service is shutting down',
  );
});

test('the problems of a value are reported with their paths, all problems of a short value', async () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'integer' } },
    required: ['c'],
  };
  expect(await open().evaluatorFor('s').check(schema, { a: 1, b: 'x' })).toEqual([
    'structuredContent: "c" is missing.',
    'a: must be string, but is number.',
    'b: must be integer, but is string.',
  ]);
});

test('results beyond the capacity are unavailable to a client, and its schema stays in use', async () => {
  const checks = open();
  const evaluator = checks.evaluatorFor('s');
  const long = 'x'.repeat(64 * 1024 * 1024);
  await expect(evaluator.check({ pattern: '^x' }, long)).rejects.toMatchObject({
    name: 'EvaluationUnavailableError',
    message: expect.stringContaining('too many checks are waiting') as string,
  });
  expect(await evaluator.check({ pattern: '^x' }, 'y')).toEqual([
    'structuredContent: must match pattern "^x".',
  ]);
});

test('pending checks are rejected when the service stops', async () => {
  const checks = open();
  const waiting = checks.assertUsable('a', { pattern: '^x' });
  await Promise.all([
    expect(waiting).rejects.toThrow('the service is shutting down'),
    checks.close(),
  ]);
  await expect(checks.assertUsable('a', { pattern: '^y' })).rejects.toThrow(
    'the service is shutting down',
  );
});

test.skipIf(process.platform === 'win32')(
  'without a free descriptor only simple schemas are evaluated, and the process survives',
  () => {
    const script = join(import.meta.dirname, 'testing', 'without-descriptors.ts');
    const { status, stdout, stderr } = spawnSync(
      'sh',
      [
        '-c',
        'ulimit -n 64; exec "$0" --conditions=@signalbox/source "$1"',
        process.execPath,
        script,
      ],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(JSON.parse(stdout)).toEqual({
      before: 'fits',
      hostile: expect.stringContaining('took longer than 500 ms') as string,
      ordinary: 'fits',
      after: 'fits',
    });
  },
);
