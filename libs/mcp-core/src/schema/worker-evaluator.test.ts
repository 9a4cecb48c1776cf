import type * as WorkerThreads from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { JsonSchema } from '../protocol/tools.ts';
import { WorkerEvaluator } from './worker-evaluator.ts';
import { SchemaValidator } from './schema-validator.ts';

const started = vi.hoisted(() => ({ count: 0 }));
vi.mock('node:worker_threads', async (importOriginal) => {
  const original = await importOriginal<typeof WorkerThreads>();
  class CountedWorker extends original.Worker {
    constructor(...args: ConstructorParameters<typeof original.Worker>) {
      super(...args);
      started.count += 1;
    }
  }
  return { ...original, Worker: CountedWorker };
});

const check = async (schema: JsonSchema, value: unknown): Promise<readonly string[]> =>
  new WorkerEvaluator().check(schema, value);
const object = (properties: JsonObject): JsonSchema => ({ type: 'object', properties });
const BACKTRACKING = object({ a: { type: 'string', pattern: '^(x+)+$' } });

/** Returns the most processor time in milliseconds that the thread used without a turn of the event loop during the work: the load of the machine does not count. */
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

// Must be the first test in this file: later tests start the thread.
test('ordinary schemas are evaluated synchronously, without a thread', () => {
  const loadWorker = vi.fn<() => never>();
  const evaluator = new WorkerEvaluator(loadWorker);
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...object({ n: { type: 'integer' }, at: { format: 'date' } }),
    required: ['n'],
    additionalProperties: false,
  };
  expect(evaluator.check(schema, { n: 1, at: 'soon' })).toEqual([]);
  expect(evaluator.check(schema, { n: 'one' })).toEqual(['"n" must be of type integer.']);
  expect(evaluator.check(schema, {})).toEqual(['The value must have "n".']);
  expect(loadWorker).not.toHaveBeenCalled();
  expect(started.count).toBe(0);
});

test.each<[string, JsonSchema, unknown, readonly string[]]>([
  ['pattern', object({ a: { pattern: '^x$' } }), { a: 'y' }, ['"a" must match pattern "^x$".']],
  [
    'patternProperties',
    { patternProperties: { '^x': { type: 'string' } }, additionalProperties: false },
    { x1: 1 },
    ['"x1" must be of type string.'],
  ],
  [
    'unevaluatedProperties',
    { ...object({ a: true }), unevaluatedProperties: false },
    { b: 1 },
    ['"b" is not known. Remove it.'],
  ],
  ['multipleOf', object({ a: { multipleOf: 2 } }), { a: 3 }, ['"a" must be multiple of 2.']],
  [
    'if',
    { if: { required: ['a'] }, else: { required: ['b'] } },
    {},
    ['"b" is required. Add it.', 'The value must match "else" schema.'],
  ],
  [
    'a tuple of draft-07',
    { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] },
    [1],
    ['"[0]" must be of type string.'],
  ],
])('%s is evaluated', async (_keyword, schema, value, problems) => {
  expect(await check(schema, value)).toEqual(problems);
});

test('format is an annotation, even in the thread', async () => {
  const schema = object({ at: { format: 'date', pattern: '^s' } });
  expect(await check(schema, { at: 'soon' })).toEqual([]);
  expect(await check(schema, { at: 'later' })).toEqual(['"at" must match pattern "^s".']);
});

const deep = (levels: number): JsonSchema => (levels === 1 ? {} : { not: deep(levels - 1) });
test.each<[string, JsonSchema, string]>([
  [
    'of another dialect',
    { $schema: 'https://example.com/own' },
    'Schemas of the dialect "https://example.com/own" are not supported',
  ],
  ['nested too deep', object({ b: deep(64) }), 'nested deeper than 64 levels'],
  [
    'with a reference to elsewhere',
    object({ a: { $ref: 'https://example.com/a.json' } }),
    'The schema refers to https://example.com/a.json',
  ],
  ['that is invalid', { type: 'nonsense' }, 'nonsense'],
  ['with a pattern that is none', object({ a: { pattern: '(' } }), 'Invalid regular expression'],
  ['that refers to itself without end', { $ref: '#' }, 'Maximum call stack'],
])('a schema %s cannot be used', async (_title, schema, message) => {
  await expect(check(schema, { a: 'x' })).rejects.toThrow(message);
});

describe('a pattern with endless backtracking', () => {
  test('is abandoned, without effect on the event loop and other clients', async () => {
    await check(BACKTRACKING, { a: 'xxx' });
    let other: unknown;
    const stall = await longestStall(async () => {
      const hostile = check(BACKTRACKING, { a: `${'x'.repeat(60)}!` });
      other = check(object({ a: { pattern: '^y' } }), { a: 'x' });
      await expect(hostile).rejects.toThrow('took longer than 1000 ms');
    });
    expect(await other).toEqual(['"a" must match pattern "^y".']);
    expect(stall).toBeLessThan(400);
  });

  test('blocks everything without the thread (control)', async () => {
    const evaluate = await new SchemaValidator().compile(BACKTRACKING);
    const stall = await longestStall(() => Promise.resolve(evaluate({ a: `${'x'.repeat(24)}!` })));
    expect(stall).toBeGreaterThan(100);
  });
});

test('all clients share one thread', async () => {
  await check(BACKTRACKING, { a: 'x' });
  const before = started.count;
  await Promise.all(Array.from({ length: 20 }, () => check(BACKTRACKING, { a: 'xx' })));
  expect(started.count).toBe(before);
});
