import type { JsonObject } from '@signalbox/mcp-core';
import { afterAll, describe, expect, test } from 'vitest';
import {
  compileArgumentValidator,
  UnusableSchemaError,
  type ArgumentValidator,
} from './argument-validator.ts';
import { SchemaChecks } from './schema-checks.ts';

const checks = new SchemaChecks();
afterAll(() => checks.close());

const compile = async (schema: JsonObject): Promise<ArgumentValidator> =>
  (await compileArgumentValidator('a-server', schema, checks)).validate;
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
});

describe('arguments that do not fit are explained to the model', () => {
  const schema = object(
    {
      path: { type: 'string', minLength: 1 },
      head: { type: 'integer', minimum: 1 },
      mode: { enum: ['fast', 'slow'] },
      at: { type: 'object', properties: { line: { type: 'number' } } },
    },
    { required: ['path'], additionalProperties: false },
  );
  const check = async (args: JsonObject): Promise<string | undefined> =>
    (await compile(schema))(args);

  test('valid arguments are accepted', async () => {
    expect(await check({ path: 'a', head: 3, mode: 'fast', at: { line: 1 } })).toBeUndefined();
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
  ])('%j', async (args, problem) => {
    expect(await check(args)).toContain(problem);
  });

  test('the message names the field, the problem, the schema of the field and the given fields', async () => {
    expect(await check({ path: 7 })).toBe(
      'Invalid arguments, nothing was done. Correct them and call the tool again.\n- path: must be string, but is number\n' +
        'Schema of path: {"type":"string","minLength":1}\nArguments given: path',
    );
  });

  test('a large schema is not repeated in full', async () => {
    const values = Array.from({ length: 5000 }, (_, index) => `value-${index}`);
    expect((await (await compile(object({ a: { enum: values } })))({ a: 1 }))?.length).toBeLessThan(
      1500,
    );
  });
});

describe('schema dialects and deviations of servers', () => {
  test.each([
    ['no dialect: 2020-12', { prefixItems: [{ type: 'string' }] }, undefined],
    [
      '2020-12',
      { prefixItems: [{ type: 'string' }] },
      'https://json-schema.org/draft/2020-12/schema',
    ],
    ['draft-07', { items: [{ type: 'string' }] }, 'http://json-schema.org/draft-07/schema#'],
    [
      'an unknown dialect is read as 2020-12',
      { prefixItems: [{ type: 'string' }] },
      'https://example.org/mine',
    ],
  ])('%s', async (_title, list, $schema) => {
    const check = await compile({
      ...object({ list: { type: 'array', ...list } }),
      ...($schema === undefined ? {} : { $schema }),
    });
    expect(await check({ list: ['a'] })).toBeUndefined();
    expect(await check({ list: [1] })).toContain('list.0: must be string');
  });

  test('an empty schema accepts anything', async () => {
    expect(await (await compile({}))({ a: 1 })).toBeUndefined();
  });

  test('a format is an annotation, even beside keywords that need the validator library', async () => {
    const uuid = { type: 'string', format: 'uuid' };
    expect(
      await (
        await compile(object({ page: uuid }))
      )({ page: '1429989fe8ac4effbc8f57f56486db54' }),
    ).toBeUndefined();
    const check = await compile(object({ page: { ...uuid, pattern: '^1' } }));
    expect(await check({ page: '1429989fe8ac4effbc8f57f56486db54' })).toBeUndefined();
    expect(await check({ page: '2' })).toContain('page: must match pattern');
  });

  test('a pattern that is valid only without the u flag is used without it', async () => {
    const check = await compile(object({ id: { type: 'string', pattern: '^[\\w-.]+$' } }));
    expect(await check({ id: 'a-b.c' })).toBeUndefined();
    expect(await check({ id: 'a b' })).toContain('id: must match pattern');
  });

  test('two schemas with the same $id and an internal reference are independent', async () => {
    const schema = (type: string): JsonObject => ({
      $id: 'https://example.org/args',
      ...object({ a: { $ref: '#/$defs/a' } }),
      $defs: { a: { type } },
    });
    const first = await compile(schema('string'));
    const second = await compile(schema('number'));
    expect([await first({ a: 'x' }), await second({ a: 1 })]).toEqual([undefined, undefined]);
    expect(await second({ a: 'x' })).toContain('must be number');
  });

  test('a large definition with many references is compiled once', async () => {
    const large = object(
      Object.fromEntries(
        Array.from({ length: 150 }, (_, index) => [
          `p${index}`,
          { type: 'string', minLength: index },
        ]),
      ),
    );
    const referringTo = (count: number): JsonObject => ({
      ...object(
        Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`r${index}`, { $ref: '#/$defs/large' }]),
        ),
      ),
      $defs: { large },
    });
    const cost = (count: number): Promise<number> =>
      checks.assertUsable('a-server', referringTo(count));
    await cost(2);
    const few = await cost(1);
    const many = await cost(400);
    expect(await (await compile(referringTo(400)))({ r399: { p3: 'ab' } })).toContain(
      'r399.p3: must NOT have fewer than 3 characters',
    );
    // Inlining it at each reference would take about 400 times as long.
    expect(many / few).toBeLessThan(100);
  });

  test('$async does not switch validation off', async () => {
    expect(
      await (
        await compile({ $async: true, ...object({ a: { type: 'string' } }) })
      )({ a: 1 }),
    ).toContain('must be string');
  });
});

describe('unsupported schemas are refused', () => {
  const deep = (levels: number): JsonObject => (levels === 0 ? {} : { not: deep(levels - 1) });
  test.each<[string, JsonObject, RegExp]>([
    ['too deep', deep(100), /nested deeper than 64 levels/],
    [
      'far too deep',
      JSON.parse(`${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`) as JsonObject,
      /nested deeper than 64 levels/,
    ],
    ['too large', { description: 'x'.repeat(300_000) }, /larger than 256 KiB/],
    [
      'remote reference',
      object({ a: { $ref: 'https://example.org/schema.json' } }),
      /does not compile: The schema refers to https:.* which is not in it/,
    ],
    [
      'missing reference',
      object({ a: { $ref: '#/$defs/none' } }),
      /does not compile: The schema refers to #.* which is not in it/,
    ],
    [
      'pattern with a syntax error',
      object({ a: { type: 'string', pattern: '(' } }),
      /does not compile: Invalid regular expression/,
    ],
    [
      'keyword of the wrong type',
      object({ a: { type: 'string', maxLength: 'long' } }),
      /does not compile/,
    ],
    ['not about objects', { type: 'array' }, /does not describe an object/],
    [
      'refers to itself without end',
      { $ref: '#' },
      /cannot be evaluated: Maximum call stack size exceeded/,
    ],
  ])('%s', async (_title, schema, message) => {
    await expect(compile(schema)).rejects.toThrow(UnusableSchemaError);
    await expect(compile(schema)).rejects.toThrow(message);
  });

  test('an evaluation that doubles at each of 40 references is interrupted', async () => {
    const definitions = Array.from({ length: 40 }, (_, index): [string, unknown] => {
      const next = index === 39 ? false : { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { anyOf: [next, next] }];
    });
    await expect(
      compile({ $defs: Object.fromEntries(definitions), $ref: '#/$defs/d0' }),
    ).rejects.toThrow(/cannot be evaluated: took (longer than 1000 ms|more than 96 MiB of memory)/);
  });

  test('a pattern with catastrophic backtracking is interrupted', async () => {
    const check = await compile(object({ a: { type: 'string', pattern: '^(x+)+$' } }));
    expect(await check({ a: 'xxx' })).toBeUndefined();
    await expect(check({ a: `${'x'.repeat(60)}!` })).rejects.toThrow(/took longer than 500 ms/);
    expect(await check({ a: 'xxx' })).toBeUndefined();
  });
});

describe('arguments are checked synchronously if the evaluation is bounded', () => {
  test.each<[string, JsonObject]>([
    [
      'ordinary keywords',
      object(
        {
          a: { type: 'string', minLength: 1 },
          pattern: { type: 'string' },
          list: { type: 'array', items: { type: 'integer' } },
        },
        { required: ['a'], additionalProperties: false },
      ),
    ],
    ['a reference', object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { type: 'string' } } })],
    ['choices', object({ a: { anyOf: [{ type: 'null' }, { enum: ['x', 'y'] }] } })],
    ['a format', object({ a: { type: 'string', format: 'email' } })],
  ])('%s', async (_what, schema) => {
    expect((await compile(schema))({ a: 'x' })).toBeUndefined();
  });

  test.each<[string, JsonObject]>([
    ['a pattern', object({ a: { type: 'string', pattern: '^x$' } })],
    ['a pattern for names', object({}, { patternProperties: { '^x$': {} } })],
    ['a rarer keyword', object({}, { propertyNames: { maxLength: 1 } })],
  ])('and in the worker thread with %s', async (_what, schema) => {
    const checked = (await compile(schema))({ a: 'x' });
    expect(checked).toBeInstanceOf(Promise);
    expect(await checked).toBeUndefined();
  });

  test('arguments that are nested too deeply are refused', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as JsonObject;
    expect(await (await compile(object({ a: { type: 'string' } })))(deep)).toContain(
      'nested too deep',
    );
  });
});
