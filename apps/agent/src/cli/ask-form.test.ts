import { describe, expect, test } from 'vitest';
import { askForm } from './ask-form.ts';
import { testIo } from './testing/test-io.ts';

const signal = new AbortController().signal;

async function fill(
  properties: object,
  {
    required = [],
    typed,
  }: { readonly required?: readonly string[]; readonly typed: readonly (string | undefined)[] },
) {
  const io = testIo({ typed });
  const answer = await askForm(
    io,
    { requested_schema: { type: 'object', properties, required } },
    signal,
  );
  return { answer, asked: io.asked, err: io.written.err };
}

// The form of SEP-1034: a default for each kind of field.
const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

test('Enter takes the default of each field, which is shown', async () => {
  const { answer, asked } = await fill(DEFAULTS, {
    required: ['name', 'age'],
    typed: ['', '', '', '', ''],
  });
  expect(answer).toEqual({
    action: 'accept',
    content: { name: 'John Doe', age: 30, score: 95.5, status: 'active', verified: true },
  });
  expect(asked).toEqual([
    '  name (Enter takes John Doe): ',
    '  age (Enter takes 30): ',
    '  score (Enter takes 95.5): ',
    '  status [active/inactive] (Enter takes active): ',
    '  verified [y/n] (Enter takes yes): ',
  ]);
});

describe('choices', () => {
  const hero = {
    type: 'string',
    title: 'Hero',
    description: 'The best one',
    oneOf: [
      { const: 'hero-1', title: 'Superman' },
      { const: 'hero-2', title: 'Batman' },
    ],
    default: 'hero-2',
  };

  test.each([
    ['2', 'hero-2'],
    ['superman', 'hero-1'],
    ['hero-1', 'hero-1'],
    ['', 'hero-2'],
  ])('%j is a number, a title, a value or the default', async (typed, value) => {
    const { answer, asked, err } = await fill({ hero }, { typed: [typed] });
    expect(answer).toEqual({ action: 'accept', content: { hero: value } });
    expect(asked).toEqual(['  Hero [1-2] (Enter takes Batman): ']);
    expect(err).toContain('  Hero: The best one\n    1) Superman\n    2) Batman\n');
  });

  test('several choices are separated by commas; enumNames are their titles', async () => {
    const items = {
      anyOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
      ],
    };
    const { answer, asked } = await fill(
      {
        colors: { type: 'array', items },
        size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
      },
      { typed: ['1, green', 'large'] },
    );
    expect(answer).toEqual({ action: 'accept', content: { colors: ['r', 'g'], size: 'l' } });
    expect(asked[0]).toBe('  colors [1-2, comma-separated] (optional): ');
  });
});

describe('a value that does not fit', () => {
  test.each<[object, string, string, unknown]>([
    [{ type: 'integer', minimum: 1 }, '0', '7', 7],
    [{ type: 'number' }, 'many', '1.5', 1.5],
    [{ type: 'boolean' }, 'perhaps', 'no', false],
    [{ type: 'string', format: 'email' }, 'ada', 'ada@example.org', 'ada@example.org'],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', 'B', 'b'],
    [{ type: 'string', maxLength: 2 }, 'long', 'ok', 'ok'],
  ])(
    'of %j is prompted for again, without the other fields',
    async (field, wrong, right, value) => {
      const { answer, asked, err } = await fill(
        { first: { type: 'string' }, field },
        { typed: ['kept', wrong, right] },
      );
      expect(answer).toEqual({ action: 'accept', content: { first: 'kept', field: value } });
      expect(asked).toHaveLength(3);
      expect(err).toMatch(/^ {4}field must (?:be|have) /m);
    },
  );

  test('Enter at a required field prompts again; !decline declines the form', async () => {
    const { answer, asked } = await fill(
      { name: { type: 'string' } },
      { required: ['name'], typed: ['', '!decline'] },
    );
    expect(answer).toEqual({ action: 'decline' });
    expect(asked).toHaveLength(2);
  });

  test('the end of the input cancels', async () => {
    expect((await fill({ name: { type: 'string' } }, { typed: [undefined] })).answer).toEqual({
      action: 'cancel',
    });
  });
});

test.each([
  ['y', { action: 'accept', content: {} }],
  ['', { action: 'decline' }],
])('a form without fields is accepted only after a yes: %j', async (typed, answer) => {
  expect((await fill({}, { typed: [typed] })).answer).toEqual(answer);
});

test("a server's texts contain no terminal control sequences", async () => {
  const { asked, err } = await fill(
    {
      a: {
        type: 'string',
        title: 'T\u001b[2J\nallow?',
        description: 'D\u001b[2J\n✓ done',
        oneOf: [{ const: 'x', title: 'C\u001b[2J\n✓' }],
      },
    },
    { typed: [''] },
  );
  expect(`${asked.join('')}${err}`).not.toContain('\u001b');
  expect(err.split('\n').filter((line) => line !== '' && !line.startsWith('  '))).toEqual([]);
});
