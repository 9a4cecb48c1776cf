import { expect, test } from 'vitest';
import { findJsonProblem } from './json-text.ts';

test('a text has no problem exactly when JSON.parse accepts it', () => {
  const seed = '{"a": [1, -2.5e+3, true, null, "x\\u0041\\n é"], "b": {"c": {}, "d": []}}';
  const insertions = [
    ...'{}[],:"\\/0-+.eEtnu \t\n\u0000\u007f'.split(''),
    'true',
    '//',
    '\\x',
    '01',
    '.5',
    'NaN',
    '',
  ];
  const texts = insertions.flatMap((insertion) =>
    [0, 1, 3].flatMap((removed) =>
      Array.from(
        { length: seed.length },
        (_, offset) => seed.slice(0, offset) + insertion + seed.slice(offset + removed),
      ),
    ),
  );
  const accepted = texts.filter(isJson);
  const disagreements = texts.filter(
    (text) => (findJsonProblem(text) === undefined) !== isJson(text),
  );
  expect(accepted.length).toBeGreaterThan(100);
  expect(disagreements).toEqual([]);
});

test('lines and columns are counted from one', () => {
  expect(findJsonProblem('{"a":\n  tru}')).toEqual({
    line: 2,
    column: 3,
    problem: 'a value is expected',
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
