import { expect, test } from 'vitest';
import { receiveText, type ReceiveTextOptions } from './receive-text.ts';

function received(text: string, options?: ReceiveTextOptions): unknown[] {
  const calls: unknown[] = [];
  receiveText(
    {
      message: (...passed) => calls.push(['message', ...passed]),
      unreadable: (...passed) => calls.push(['unreadable', ...passed]),
      closed: () => undefined,
    },
    text,
    options,
  );
  return calls;
}

test('a text is parsed and passed on with its origin', () => {
  const origin = { auth: { principal: 'ada' } };
  expect(received('{"a":[1]}', { origin })).toEqual([['message', { a: [1] }, origin]]);
});

test('a text that is no JSON is reported', () => {
  expect(received('{"a":')).toEqual([
    [
      'unreadable',
      { reason: 'parse-error', detail: expect.stringContaining('is not JSON') as string },
    ],
  ]);
});

test.each([
  [
    'a request over the length limit',
    40,
    '{"id":7,"method":"x","params":{"a":"bbbbbbbb"}}',
    { requests: 7 },
  ],
  [
    'a response with too many values',
    300,
    `{"id":7,"result":[${'0,'.repeat(40)}0]}`,
    { answers: 7 },
  ],
  ['a message that is nested too deeply', 10_000, '['.repeat(201), {}],
])('%s is reported with its id and not parsed', (_name, maxMessageBytes, text, id) => {
  expect(received(text, { maxMessageBytes })).toEqual([
    ['unreadable', { reason: 'too-large', detail: expect.any(String) as string, ...id }],
  ]);
});
