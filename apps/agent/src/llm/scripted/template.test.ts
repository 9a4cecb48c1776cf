import { describe, expect, test } from 'vitest';
import { renderInput, renderText } from './render.ts';
import { parseTemplate, type Scope } from './template.ts';

const scope: Scope = {
  groups: ['find cats and dogs', 'cats', undefined],
  results: new Map<string, unknown>([
    [
      'db__query',
      {
        isError: false,
        input: { limit: 2 },
        structuredContent: {
          rows: [
            ['Ada', 3],
            ['Bob', null],
          ],
          items: [
            { name: 'a', tags: ['x', 'y'] },
            { name: 'b', tags: [] },
          ],
          none: [],
          text: '${1}',
          flag: false,
          at: { deep: 1 },
        },
      },
    ],
  ]),
  error: { tool: 'db__query', text: 'no such table' },
};

describe('a template as text', () => {
  test.each([
    ['plain', 'plain'],
    ['${1}!', 'cats!'],
    ['${result.db__query.structuredContent.rows[0][0]}', 'Ada'],
    ['${result.db__query.structuredContent.rows[0][1]} rows', '3 rows'],
    ['${result.db__query.structuredContent.rows.length}', '2'],
    ['${result.db__query.structuredContent.items[*].name}', 'a, b'],
    ['${result.db__query.structuredContent.items[0].tags}', 'x, y'],
    ['${result.db__query.structuredContent.items[*].tags.length}', '2, 0'],
    ['${result.db__query.structuredContent.items[0:1].name}', 'a'],
    ['${result.db__query.structuredContent.none}', '(none)'],
    ['${result.db__query.structuredContent.none[*].name}', '(none)'],
    ['${result.db__query.structuredContent.rows[*][1]}', '3, null'],
    ['${result.db__query.structuredContent.flag}', 'false'],
    ['${result.db__query.structuredContent.at}', '{"deep":1}'],
    ['${result.db__query.input.limit}', '2'],
    ['${error.tool}: ${error.text}', 'db__query: no such table'],
  ])('%s shows as %j', (template, shown) => {
    expect(renderText(template, scope)).toBe(shown);
  });

  test('a picked value is not read as a template', () => {
    expect(renderText('${result.db__query.structuredContent.text}', scope)).toBe('${1}');
  });

  test.each([
    '2',
    '7',
    'result.other',
    'result.db__query.structuredContent.rows[5][0]',
    'result.db__query.structuredContent.items[*].price',
    'result.db__query.structuredContent.at[0]',
    'result.db__query.toString',
  ])('a missing value is shown as missing: %s', (source) => {
    expect(renderText(`It is \${${source}}.`, scope)).toBe(`It is (missing: ${source}).`);
  });
});

describe('a template as tool input', () => {
  test('a string of a single expression keeps the type of its value, a mixed string becomes text', () => {
    const input = {
      count: '${result.db__query.structuredContent.rows[0][1]}',
      rows: '${result.db__query.structuredContent.rows[*][0]}',
      mixed: 'n=${result.db__query.structuredContent.rows[0][1]}',
      nested: [{ a: '${1}' }],
      n: 5,
    };
    expect(renderInput(input, scope)).toEqual({
      ok: true,
      input: { count: 3, rows: ['Ada', 'Bob'], mixed: 'n=3', nested: [{ a: 'cats' }], n: 5 },
    });
  });

  test('an optional group without a match is left out of a list', () => {
    expect(renderInput({ places: ['${1}', '${2}'] }, scope)).toEqual({
      ok: true,
      input: { places: ['cats'] },
    });
  });

  test('any other missing value fails the whole input and is named', () => {
    expect(renderInput({ a: '${2}', b: ['${result.nope.x}'], c: 'ok' }, scope)).toEqual({
      ok: false,
      missing: ['2', 'result.nope.x'],
    });
  });
});

test.each([
  '${}',
  '${1+1}',
  '${result}',
  '${result.a.b()}',
  '${result.a[x]}',
  '${env.HOME}',
  '${result.a..b}',
  '${result.a[-1]}',
])('%s is refused: templates only select values', (template) => {
  const parsed = parseTemplate(template);
  expect(parsed.ok ? '' : parsed.problem).toContain(`cannot read ${template}`);
});
