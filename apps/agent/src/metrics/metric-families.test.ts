import { expect, test } from 'vitest';
import { Counter, gauge, Histogram } from './metric-families.ts';

test('a counter has one series for each set of labels, whose values are escaped', () => {
  const counter = new Counter('calls_total', 'Calls.');
  counter.add({ server: 'a"b\\c\nd' });
  counter.add({ server: 'x' }, 2);
  counter.add({ server: 'x' });
  expect(counter.text()).toBe(
    '# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total{server="a\\"b\\\\c\\nd"} 1\ncalls_total{server="x"} 3\n',
  );
});

test('a histogram counts in every bucket up to the value, and sums', () => {
  const histogram = new Histogram('took_seconds', 'Time.', [0.1, 1]);
  for (const seconds of [0.1, 0.5, 3]) histogram.observe(seconds, { outcome: 'ok' });
  expect(histogram.text().split('\n').slice(2, -1)).toEqual([
    'took_seconds_bucket{outcome="ok",le="0.1"} 1',
    'took_seconds_bucket{outcome="ok",le="1"} 2',
    'took_seconds_bucket{outcome="ok",le="+Inf"} 3',
    'took_seconds_sum{outcome="ok"} 3.6',
    'took_seconds_count{outcome="ok"} 3',
  ]);
});

test('a gauge without labels has none', () => {
  expect(gauge('open', 'Open.', [{ value: 3 }]).text()).toBe(
    '# HELP open Open.\n# TYPE open gauge\nopen 3\n',
  );
});
