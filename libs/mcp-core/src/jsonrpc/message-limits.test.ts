import { describe, expect, test } from 'vitest';
import { costOf, costProblem, isDeeperThan, messageLimits } from './message-limits.ts';

const MEBIBYTE = 1024 * 1024;
const problem = (text: string, maxBytes?: number) =>
  costProblem(Buffer.from(text), messageLimits(maxBytes));

describe('a message within the limits', () => {
  test.each<[string, string]>([
    ['4 MiB of text', JSON.stringify('x'.repeat(4 * MEBIBYTE - 2))],
    ['text full of structure, quotes and backslashes', JSON.stringify('[{"a\\":,'.repeat(200_000))],
    [
      'a table of 20,000 rows',
      JSON.stringify(
        Array.from({ length: 20_000 }, (_, id) => ({
          id,
          name: `row ${String(id)}`,
          at: '2026-11-22T00:00:00Z',
        })),
      ),
    ],
    ['100 levels', `${'['.repeat(100)}${']'.repeat(100)}`],
  ])('%s', (_title, text) => {
    expect(problem(text)).toBeUndefined();
  });
});

describe('a message that costs more than its bytes', () => {
  test.each<[string, string, string]>([
    ['empty objects', `[${'{},'.repeat(MEBIBYTE)}{}]`, 'has more than 262144 values'],
    ['numbers', `[${'1,'.repeat(MEBIBYTE)}1]`, 'has more than 262144 values'],
    ['members', `{${'"":1,'.repeat(300_000)}"":1}`, 'has more than 262144 values'],
    ['levels', `${'{"":'.repeat(101)}1${'}'.repeat(101)}`, 'is nested deeper than 100 levels'],
    ['too long', JSON.stringify('x'.repeat(4 * MEBIBYTE)), 'is longer than 4194304 bytes'],
  ])('%s', (_title, text, expected) => {
    expect(problem(text)).toBe(expected);
  });
});

describe('a request for a form', () => {
  const request = (bytes: number, method = 'elicitation/create'): string =>
    `{"jsonrpc":"2.0","id":"q","params":{"a":"${'x'.repeat(bytes)}"},"method":"${method}"}`;

  test('of more than 256 KiB is refused', () => {
    expect(problem(request(256 * 1024))).toBe(
      'is an elicitation/create request of more than 262144 bytes',
    );
  });

  test.each([
    ['of less', request(255 * 1024)],
    ['with another method', request(MEBIBYTE, 'sampling/createMessage')],
    [
      'in a result',
      `{"jsonrpc":"2.0","id":1,"result":{"method":"elicitation/create","a":"${'x'.repeat(MEBIBYTE)}"}}`,
    ],
  ])('%s is accepted', (_title, text) => {
    expect(problem(text)).toBeUndefined();
  });
});

test('the most expensive message within the limits is parsed fast', () => {
  const members = Array.from({ length: 262_000 }, (_, index) => `"key ${String(index)}":1`).join(
    ',',
  );
  const text = `{${members}}`;
  expect(problem(text)).toBeUndefined();
  const before = process.cpuUsage();
  JSON.parse(text);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});

test('checking the limits takes time proportional to the bytes', () => {
  const before = process.cpuUsage();
  problem(`["${'\\\\'.repeat(2 * MEBIBYTE - 10)}"]`);
  problem(`["${'\\"'.repeat(2 * MEBIBYTE - 10)}"]`);
  problem('"'.repeat(4 * MEBIBYTE));
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});

test('a parsed value has as many levels as its text', () => {
  const texts = [
    '1',
    '[]',
    '{}',
    '[[1],{"a":[{}]}]',
    '{"__proto__":{"a":[[]]}}',
    '{"a":{},"b":[[0,[]]]}',
  ];
  for (const text of texts)
    for (const maxDepth of [0, 1, 2, 3, 4, 5]) {
      const limits = { maxBytes: Infinity, maxParts: 0, maxDepth };
      expect([text, isDeeperThan(JSON.parse(text), maxDepth)]).toEqual([
        text,
        costProblem(Buffer.from(text), limits)?.startsWith('is nested') === true,
      ]);
    }
});

test('a value counts as 16 bytes, a text as its length', () => {
  expect(costOf('[1,2,3]')).toBe(48);
  expect(costOf(JSON.stringify('[,'.repeat(100)))).toBe(202);
});
