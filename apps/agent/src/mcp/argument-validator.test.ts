import type { JsonObject } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { compileArgumentValidator, UnusableSchemaError } from './argument-validator.ts';
import { createBoundedEvaluation, EvaluationTimeoutError } from './bounded-evaluation.ts';

const evaluate = createBoundedEvaluation();
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...rest });

describe('arguments that do not fit are explained to the model', () => {
  const schema = object(
    { path: { type: 'string', minLength: 1 }, head: { type: 'integer', minimum: 1 }, mode: { enum: ['fast', 'slow'] }, at: { type: 'object', properties: { line: { type: 'number' } } } },
    { required: ['path'], additionalProperties: false },
  );
  const check = compileArgumentValidator(schema, evaluate);

  test('fitting arguments are accepted', () => {
    expect(check({ path: 'a', head: 3, mode: 'fast', at: { line: 1 } })).toBeUndefined();
  });

  test.each([
    [{}, '- arguments: "path" is missing'],
    [{ path: 1 }, '- path: must be string, but is number'],
    [{ path: null }, '- path: must be string, but is null'],
    [{ path: '' }, '- path: must NOT have fewer than 1 characters'],
    [{ path: 'a', head: 0 }, '- head: must be >= 1'],
    [{ path: 'a', head: 1.5 }, '- head: must be integer, but is number'],
    [{ path: 'a', mode: 'quick' }, '- mode: must be one of ["fast","slow"]'],
    [{ path: 'a', pth: 'b' }, '- arguments: "pth" is not known; did you mean "path"?'],
    [{ path: 'a', at: { line: [] } }, '- at.line: must be number, but is array'],
  ])('%j', (args, problem) => {
    expect(check(args)).toContain(problem);
  });

  test('the text names the field, the problem, the schema there and the fields given', () => {
    expect(check({ path: 7 })).toBe(
      'Invalid arguments, nothing was done. Correct them and call the tool again.\n- path: must be string, but is number\n' +
        'Schema of path: {"type":"string","minLength":1}\nArguments given: path',
    );
  });

  test('a large schema is not repeated in full', () => {
    const values = Array.from({ length: 5000 }, (_, index) => `value-${index}`);
    expect(compileArgumentValidator(object({ a: { enum: values } }), evaluate)({ a: 1 })?.length).toBeLessThan(1500);
  });
});

describe('dialects and liberties that servers take', () => {
  test.each([
    ['no dialect: 2020-12', { prefixItems: [{ type: 'string' }] }, undefined],
    ['2020-12', { prefixItems: [{ type: 'string' }] }, 'https://json-schema.org/draft/2020-12/schema'],
    ['draft-07', { items: [{ type: 'string' }] }, 'http://json-schema.org/draft-07/schema#'],
    ['an unknown dialect is read as 2020-12', { prefixItems: [{ type: 'string' }] }, 'https://example.org/mine'],
  ])('%s', (_title, list, $schema) => {
    const check = compileArgumentValidator({ ...object({ list: { type: 'array', ...list } }), ...($schema === undefined ? {} : { $schema }) }, evaluate);
    expect(check({ list: ['a'] })).toBeUndefined();
    expect(check({ list: [1] })).toContain('list.0: must be string');
  });

  test('an empty schema accepts anything', () => {
    expect(compileArgumentValidator({}, evaluate)({ a: 1 })).toBeUndefined();
  });

  test('formats are checked and unknown ones ignored', () => {
    const check = compileArgumentValidator(object({ day: { type: 'string', format: 'date' }, x: { type: 'string', format: 'my-own' } }), evaluate);
    expect(check({ day: '2026-11-20', x: '?' })).toBeUndefined();
    expect(check({ day: 'today' })).toContain('day: must match format "date"');
  });

  test('a pattern that is valid only without the u flag is used without it', () => {
    const check = compileArgumentValidator(object({ id: { type: 'string', pattern: '^[\\w-.]+$' } }), evaluate);
    expect(check({ id: 'a-b.c' })).toBeUndefined();
    expect(check({ id: 'a b' })).toContain('id: must match pattern');
  });

  test('two schemas with the same $id and an internal reference do not disturb each other', () => {
    const schema = (type: string): JsonObject => ({ $id: 'https://example.org/args', ...object({ a: { $ref: '#/$defs/a' } }), $defs: { a: { type } } });
    const first = compileArgumentValidator(schema('string'), evaluate);
    const second = compileArgumentValidator(schema('number'), evaluate);
    expect([first({ a: 'x' }), second({ a: 1 })]).toEqual([undefined, undefined]);
    expect(second({ a: 'x' })).toContain('must be number');
  });

  test('a large definition that is referred to often is compiled once', () => {
    const large = object(Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`p${index}`, { type: 'string', minLength: index }])));
    const referringTo = (count: number): JsonObject => ({ ...object(Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${index}`, { $ref: '#/$defs/large' }]))), $defs: { large } });
    const unbounded: typeof evaluate = (_limitMs, work) => work();
    const compile = (count: number) => {
      const startedAt = performance.now();
      const check = compileArgumentValidator(referringTo(count), unbounded);
      return { check, ms: performance.now() - startedAt };
    };
    compile(1);
    const few = compile(1);
    const many = compile(400);
    expect(many.check({ r399: { p3: 'ab' } })).toContain('r399.p3: must NOT have fewer than 3 characters');
    // Compiled at each place, it would take about 400 times as long.
    expect(many.ms / few.ms).toBeLessThan(100);
  });

  test('$async does not switch validation off', () => {
    expect(compileArgumentValidator({ $async: true, ...object({ a: { type: 'string' } }) }, evaluate)({ a: 1 })).toContain('must be string');
  });
});

describe('schemas that cannot be used are refused', () => {
  const deep = (levels: number): JsonObject => (levels === 0 ? {} : { not: deep(levels - 1) });
  test.each<[string, JsonObject, RegExp]>([
    ['too deep', deep(100), /nested deeper than 64 levels/],
    ['far too deep', JSON.parse(`${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`) as JsonObject, /nested deeper than 64 levels/],
    ['too large', { description: 'x'.repeat(300_000) }, /larger than 256 KiB/],
    ['remote reference', object({ a: { $ref: 'https://example.org/schema.json' } }), /does not compile: can't resolve reference https:/],
    ['missing reference', object({ a: { $ref: '#/$defs/none' } }), /does not compile: can't resolve reference/],
    ['pattern with a syntax error', object({ a: { type: 'string', pattern: '(' } }), /does not compile: Invalid regular expression/],
    ['keyword of the wrong type', object({ a: { type: 'string', maxLength: 'long' } }), /does not compile/],
    ['not about objects', { type: 'array' }, /does not describe an object/],
    ['refers to itself without end', { $ref: '#' }, /cannot be evaluated: Maximum call stack size exceeded/],
  ])('%s', (_title, schema, message) => {
    expect(() => compileArgumentValidator(schema, evaluate)).toThrow(UnusableSchemaError);
    expect(() => compileArgumentValidator(schema, evaluate)).toThrow(message);
  });

  test('evaluation that doubles at each of 40 references is interrupted', () => {
    const definitions = Array.from({ length: 40 }, (_, index): [string, unknown] => {
      const next = index === 39 ? false : { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { anyOf: [next, next] }];
    });
    expect(() => compileArgumentValidator({ $defs: Object.fromEntries(definitions), $ref: '#/$defs/d0' }, evaluate)).toThrow(/cannot be evaluated: took longer than 500 ms/);
  });

  test('a pattern that backtracks without end is interrupted', () => {
    const check = compileArgumentValidator(object({ a: { type: 'string', pattern: '^(x+)+$' } }), evaluate);
    expect(check({ a: 'xxx' })).toBeUndefined();
    expect(() => check({ a: `${'x'.repeat(60)}!` })).toThrow(/took longer than 500 ms/);
  });
});

describe('evaluation is bounded where it may take longer than schema and arguments are long', () => {
  const bounded = (schema: JsonObject): boolean => {
    let bounds = 0;
    const check = compileArgumentValidator(schema, (limitMs, work) => {
      bounds += 1;
      return evaluate(limitMs, work);
    });
    bounds = 0;
    check({ a: 'x' });
    return bounds > 0;
  };

  test.each<[string, JsonObject]>([
    ['a pattern', object({ a: { type: 'string', pattern: '^x$' } })],
    ['a pattern for names', object({}, { patternProperties: { '^x$': {} } })],
    ['a reference', object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: {} } })],
    ['a dynamic reference', object({ a: { $dynamicRef: '#a' } }, { $defs: { a: { $dynamicAnchor: 'a' } } })],
    ['a format', object({ a: { anyOf: [{ type: 'string', format: 'email' }, {}] } })],
    ['different items', object({ a: { type: ['string', 'array'], uniqueItems: true } })],
  ])('%s', (_what, schema) => {
    expect(bounded(schema)).toBe(true);
  });

  test('and not where it cannot, whatever the names of properties are', () => {
    expect(bounded(object({ a: { type: 'string', minLength: 1 }, pattern: { type: 'string' }, format: { enum: ['x'] }, list: { type: 'array', items: { type: 'integer' } } }, { required: ['a'] }))).toBe(false);
  });
});

describe('bounded evaluation', () => {
  test('gives the value and throws what the work throws', () => {
    expect(evaluate(1000, () => 7)).toBe(7);
    expect(() =>
      evaluate(1000, () => {
        throw new TypeError('mine');
      }),
    ).toThrow(new TypeError('mine'));
  });

  test('interrupts a loop and works again after', () => {
    expect(() =>
      evaluate(20, () => {
        for (;;);
      }),
    ).toThrow(EvaluationTimeoutError);
    expect(evaluate(1000, () => 'fine')).toBe('fine');
  });
});
