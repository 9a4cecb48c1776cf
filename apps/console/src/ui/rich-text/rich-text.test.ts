import { describe, expect, test } from 'vitest';
import { parseBlocks } from './parse-blocks.ts';
import { parseInline } from './parse-inline.ts';

describe('blocks', () => {
  test('of every kind are found', () => {
    const text = [
      '# Result #',
      'First line',
      'second line',
      '',
      '- a',
      '  continued',
      '  - b',
      '1. c',
      '> quoted',
      '---',
      '```sql',
      'select 1',
      '',
      '# no heading',
      '```',
      '| a | b |',
      '|---|:-:|',
      String.raw`| 1 | x\|y |`,
      '| 2 |',
    ].join('\n');
    expect(parseBlocks(text)).toEqual([
      { kind: 'heading', text: 'Result', level: 1 },
      { kind: 'paragraph', text: 'First line\nsecond line' },
      {
        kind: 'list',
        items: [
          { text: 'a\ncontinued', depth: 0, number: undefined },
          { text: 'b', depth: 1, number: undefined },
          { text: 'c', depth: 0, number: 1 },
        ],
      },
      { kind: 'quote', text: 'quoted' },
      { kind: 'rule' },
      { kind: 'code', text: 'select 1\n\n# no heading' },
      {
        kind: 'table',
        head: ['a', 'b'],
        rows: [
          ['1', 'x|y'],
          ['2', ''],
        ],
      },
    ]);
  });

  test('that are not finished stay readable', () => {
    expect(parseBlocks('```js\nlet a')).toEqual([{ kind: 'code', text: 'let a' }]);
    expect(parseBlocks('| a |')).toEqual([{ kind: 'paragraph', text: '| a |' }]);
    expect(parseBlocks('')).toEqual([]);
  });

  test('keep HTML as text', () => {
    const text = '<script>alert(1)</script>';
    expect(parseBlocks(text)).toEqual([{ kind: 'paragraph', text }]);
  });
});

describe('pieces of a line', () => {
  test('are marked', () => {
    expect(parseInline('a **b** `c*d*` _e_ *f* [g](https://h.example/?i=1) j')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'strong', text: 'b' },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'c*d*' },
      { kind: 'text', text: ' ' },
      { kind: 'emphasis', text: 'e' },
      { kind: 'text', text: ' ' },
      { kind: 'emphasis', text: 'f' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'g', address: 'https://h.example/?i=1' },
      { kind: 'text', text: ' j' },
    ]);
  });

  test.each(['snake_case_name', '2 * 3 * 4', '**', 'a ** b ** c', '[x] (y)', ''])(
    '%j has no marks',
    (text) => {
      expect(parseInline(text)).toEqual(text === '' ? [] : [{ kind: 'text', text }]);
    },
  );

  test('of a long hostile text are found in linear time', () => {
    const steps = (count: number) => parseInline('*_[`'.repeat(count)).length;
    expect(steps(50_000)).toBeGreaterThan(0);
  });
});
