import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { elicitationProblems, withElicitationDefaults } from './elicitation-problems.ts';
import { SchemaValidator } from './schema-validator.ts';

const choice = fc.constantFrom('a', 'b', 'c');
const field = fc.oneof(
  fc.record({
    type: fc.constant('string'),
    minLength: fc.integer({ min: 0, max: 2 }),
    maxLength: fc.integer({ min: 2, max: 4 }),
  }),
  fc.record({
    type: fc.constantFrom('number', 'integer'),
    minimum: fc.integer({ min: -2, max: 0 }),
    maximum: fc.integer({ min: 0, max: 2 }),
  }),
  fc.constant({ type: 'boolean' }),
  fc.record({ type: fc.constant('string'), enum: fc.uniqueArray(choice, { minLength: 1 }) }),
  fc.uniqueArray(choice, { minLength: 1 }).map((values) => ({
    type: 'string',
    oneOf: values.map((value) => ({ const: value, title: value.toUpperCase() })),
  })),
  fc.uniqueArray(choice, { minLength: 1 }).map((values) => ({
    type: 'array',
    items: { type: 'string', enum: values },
    minItems: 1,
    maxItems: 2,
  })),
  fc.uniqueArray(choice, { minLength: 1 }).map((values) => ({
    type: 'array',
    items: { anyOf: values.map((value) => ({ const: value, title: value })) },
  })),
);
const value = fc.oneof(
  fc.constant(undefined),
  fc.string({ maxLength: 5 }),
  fc.double({ min: -3, max: 3, noNaN: true }),
  fc.boolean(),
  choice,
  fc.array(choice, { maxLength: 3 }),
  fc.constant(null),
);

test('a form gets the same verdict as from the full validator', async () => {
  const validator = new SchemaValidator();
  await fc.assert(
    fc.asyncProperty(
      fc.record({ x: field, y: field }),
      fc.record({ x: value, y: value }),
      fc.subarray(['x', 'y']),
      async (properties, answers, required) => {
        const schema = { type: 'object', properties, required };
        const content = Object.fromEntries(
          Object.entries(answers).filter(([, answer]) => answer !== undefined),
        );
        const complete = (await validator.compile(schema))(content);
        expect(elicitationProblems(schema, content).length > 0).toBe(complete.length > 0);
      },
    ),
    { numRuns: 300 },
  );
});

test('no form of a peer makes the check or the defaults throw', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('type', 'properties', 'required', '__proto__'), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (schema, content) => {
        expect(Array.isArray(elicitationProblems(schema, content))).toBe(true);
        expect(withElicitationDefaults(schema, content)).toMatchObject(content);
      },
    ),
  );
});
