import { expect, test } from 'vitest';
import type { ChartData } from './chart-data.ts';
import { drawChart } from './draw-chart.ts';

const FRUIT: ChartData = {
  x: 'fruit',
  labels: ['apple', 'pear', null],
  series: [
    { name: '2025', values: [3, -2, null] },
    { name: '2026', values: [4, null, 1] },
  ],
};

/** Returns the text nodes of a well-formed document; throws when a tag is not closed. */
function textsOf(svg: string): string[] {
  const open: string[] = [];
  for (const [, closing, name = '', selfClosing] of svg.matchAll(
    /<(\/?)([a-z]+)(?: [a-zA-Z0-9-]+="[^"<>]*")*(\/?)>/g,
  )) {
    if (closing === '/' && open.pop() !== name) throw new Error(`</${name}> closes nothing`);
    if (closing !== '/' && selfClosing !== '/') open.push(name);
  }
  expect(open).toEqual([]);
  expect(svg.replaceAll(/<\/?[a-z]+(?: [a-zA-Z0-9-]+="[^"<>]*")*\/?>/g, '')).not.toMatch(/[<>]/);
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text ?? '');
}

function heights(svg: string): number[] {
  const marks = svg.slice(svg.indexOf('<g fill'));
  return [...marks.matchAll(/height="([\d.]+)"/g)].map(([, height]) => Number(height));
}

test('draws a bar for each value, in proportion, and none for NULL', () => {
  const svg = drawChart(FRUIT, { type: 'bar', title: 'Fruit' });
  expect(textsOf(svg)).toEqual([
    'Fruit',
    '2025',
    '2026',
    '-2',
    '-1',
    '0',
    '1',
    '2',
    '3',
    '4',
    'apple',
    'pear',
    'NULL',
    'fruit',
  ]);
  const [three = 0, two = 0, four = 0, one = 0] = heights(svg);
  expect(heights(svg)).toHaveLength(4);
  expect([three / one, two / one, four / one].map(Math.round)).toEqual([3, 2, 4]);
});

test('interrupts a line at NULL and shows a point that stands alone', () => {
  const values = [1, 2, null, 4, null, ...Array<number>(100).fill(5)];
  const svg = drawChart(
    { x: 'n', labels: values.map((_, at) => at), series: [{ name: 'y', values }] },
    { type: 'line' },
  );
  textsOf(svg);
  expect(/<path d="([^"]*)"/.exec(svg)?.[1]?.match(/M/g)).toHaveLength(3);
  expect(svg.match(/<circle/g)).toHaveLength(1);
});

test('places dates by time and numbers by value, in order', () => {
  const xOf = (labels: ChartData['labels']) => {
    const svg = drawChart(
      { x: 'x', labels, series: [{ name: 'y', values: labels.map(() => 1) }] },
      { type: 'line' },
    );
    return [...svg.matchAll(/cx="([\d.]+)"/g)].map(([, x]) => Number(x));
  };
  for (const labels of [
    ['2026-01-03', '2026-01-01', '2026-01-11'],
    [2, 0, 10],
  ]) {
    const [first = 0, second = 0, third = 0] = xOf(labels);
    expect(Math.round(((second - first) / (third - first)) * 10)).toBe(2);
  }
  const [first = 0, second = 0, third = 0] = xOf(['b', 'a', 'c']);
  expect(Math.round(((second - first) / (third - first)) * 10)).toBe(5);
});

test('hostile text stays text', () => {
  const hostile = '"><script>alert(1)</script><!-- & \u202Egnp.exe\u0007\u0000\uD800 ]]>';
  const svg = drawChart(
    { x: hostile, labels: [hostile, '女装连衣裙'], series: [{ name: hostile, values: [1, 2] }] },
    { type: 'bar', title: hostile },
  );
  textsOf(svg);
  expect(svg).not.toMatch(/<script|<!--|\u202E/);
  // eslint-disable-next-line no-control-regex -- these are the characters in question.
  expect(svg).not.toMatch(/[\u0000-\u001F]/);
  expect(svg.isWellFormed()).toBe(true);
  expect(svg).toContain('女装连衣裙');
});

test('stays inside its area with extreme and equal values, many labels and no values', () => {
  const series = (values: readonly (number | null)[]) => [{ name: 'y', values }];
  const many = Array.from({ length: 1000 }, (_, at) => `label number ${at}`);
  for (const type of ['bar', 'line'] as const)
    for (const data of [
      { x: 'x', labels: ['a', 'b'], series: series([1.7e308, -1.7e308]) },
      { x: 'x', labels: ['a'], series: series([5]) },
      { x: 'x', labels: [7], series: series([0]) },
      { x: 'x', labels: [7, 7], series: series([1, 2]) },
      { x: 'x', labels: ['a'], series: series([null]) },
      { x: 'x', labels: many, series: series(many.map((_, at) => at)) },
    ]) {
      const svg = drawChart(data, { type });
      textsOf(svg);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      const xs = [...svg.matchAll(/ (?:x|cx|x1|x2)="(-?[\d.]+)"/g)].map(([, x]) => Number(x));
      const ys = [...svg.matchAll(/ (?:y|cy|y1|y2)="(-?[\d.]+)"/g)].map(([, y]) => Number(y));
      expect([Math.min(...xs) >= 0, Math.max(...xs) <= 800]).toEqual([true, true]);
      expect([Math.min(...ys) >= 0, Math.max(...ys) <= 450]).toEqual([true, true]);
    }
});
