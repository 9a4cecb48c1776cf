import { expect, test } from 'vitest';
import { retryAfterOf } from './wire-failure.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');

test.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'retry-after': 'Tue, 01 Jan 2030 00:01:30 GMT' }, 90_000],
  [{ 'retry-after': 'Mon, 31 Dec 2029 00:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-3' }, undefined],
  [{}, undefined],
])('%j means a retry delay of %s ms', (headers, expected) => {
  expect(
    retryAfterOf(
      (name) => new Headers(headers as { [name: string]: string }).get(name) ?? undefined,
      NOW,
    ),
  ).toBe(expected);
});
