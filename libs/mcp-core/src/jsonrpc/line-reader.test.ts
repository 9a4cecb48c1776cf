import { describe, expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';
import { MessageBudget } from './message-budget.ts';
import { lengthLimit, type MessageLimits } from './message-limits.ts';
import type { UnreadableMessage } from './transport.ts';

function collect(maxBytes = 1000, limits: Partial<MessageLimits> = {}) {
  const messages: unknown[] = [];
  const problems: UnreadableMessage[] = [];
  const reader = new LineReader(
    { message: (value) => messages.push(value), unreadable: (problem) => problems.push(problem) },
    { ...lengthLimit(maxBytes), ...limits },
  );
  return { messages, problems, reader };
}

type Ids = Pick<UnreadableMessage, 'answers' | 'requests'>;

describe('LineReader', () => {
  test('skips blank lines and delivers a last line without newline', () => {
    const { messages, reader } = collect();
    reader.push(Buffer.from('\n\r\n  \n{"a":1}\n\n{"b":2}'));
    expect(messages).toEqual([{ a: 1 }]);
    reader.end();
    expect(messages).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('accepts a byte order mark before a message, however it is cut, and keeps it in a string', () => {
    const line = Buffer.from('\uFEFF{"a":"\uFEFF"}\r\n');
    for (const size of [1, 2, line.length]) {
      const { messages, problems, reader } = collect();
      for (let start = 0; start < line.length; start += size)
        reader.push(Buffer.from(line.subarray(start, start + size)));
      reader.push(Buffer.from('\uFEFF{"b":1}\n{"c":2}\n'));
      expect(messages).toEqual([{ a: '\uFEFF' }, { b: 1 }, { c: 2 }]);
      expect(problems).toEqual([]);
    }
  });

  test('reports a line that is not JSON and continues', () => {
    const { messages, problems, reader } = collect();
    reader.push(Buffer.from('Listening on port 80\n{"a":1}\n{"b":\n'));
    expect(messages).toEqual([{ a: 1 }]);
    expect(problems.map(({ reason }) => reason)).toEqual(['parse-error', 'parse-error']);
  });

  test('reports a line that is not UTF-8 instead of guessing its text', () => {
    const { messages, problems, reader } = collect();
    reader.push(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]));
    reader.push(Buffer.from('1\n'));
    expect(messages).toEqual([1]);
    expect(problems).toEqual([{ reason: 'parse-error', detail: 'a line is not UTF-8' }]);
  });

  test('accepts a line of exactly the limit and discards a longer one up to its newline, once', () => {
    const { messages, problems, reader } = collect(10);
    reader.push(Buffer.from(`"${'x'.repeat(8)}"\n`));
    for (let piece = 0; piece < 1000; piece += 1) reader.push(Buffer.from('yyyyyyyyy'));
    reader.push(Buffer.from('y\n2\n'));
    expect(messages).toEqual(['x'.repeat(8), 2]);
    expect(problems).toEqual([{ reason: 'too-large', detail: 'a line is longer than 10 bytes' }]);
  });

  test.each<[string, string, Ids]>([
    ['an answer', '{"jsonrpc":"2.0","id":7,"result":{"text":"LONG"}}', { answers: 7 }],
    [
      'an answer whose id comes last',
      '{"result":{"id":1,"text":"LONG"},"jsonrpc":"2.0","id":"a\\"b"}',
      { answers: 'a"b' },
    ],
    ['an error answer', '{"id": 3 , "error":{"code":1,"message":"\\\\LONG\\""}}', { answers: 3 }],
    [
      'a request',
      '{"jsonrpc":"2.0","id":4,"method":"ping","params":{"text":"LONG"}}',
      { requests: 4 },
    ],
    ['a notification', '{"jsonrpc":"2.0","method":"note","params":{"id":5,"text":"LONG"}}', {}],
    ['no message', '["id":7,"result":"LONG"', {}],
  ])(
    'names the request that %s over the limit belongs to, however it is cut',
    (_title, text, ids) => {
      const line = Buffer.from(
        `${text.replace('LONG', () => 'x"y\\'.repeat(100).replaceAll(/["\\]/gu, '\\$&'))}\n`,
      );
      for (const size of [1, 7, 64, line.length]) {
        const { problems, reader } = collect(150);
        for (let start = 0; start < line.length; start += size)
          reader.push(Buffer.from(line.subarray(start, start + size)));
        expect(problems).toEqual([
          { reason: 'too-large', detail: 'a line is longer than 150 bytes', ...ids },
        ]);
      }
    },
  );

  test('reports an over-long response as soon as its id is known', () => {
    const { problems, reader } = collect(100);
    reader.push(Buffer.from(`{"id":1,"result":"${'x'.repeat(200)}`));
    expect(problems).toMatchObject([{ answers: 1 }]);
    reader.push(Buffer.from('x"}\n'));
    expect(problems).toHaveLength(1);
  });

  test('does not parse a line of too many values or levels', () => {
    const { messages, problems, reader } = collect(10_000, { maxParts: 20, maxDepth: 5 });
    const wide = `{"id":1,"result":[${'{},'.repeat(20)}1]}`;
    const deep = `{"id":2,"result":${'['.repeat(5)}${']'.repeat(5)}}`;
    reader.push(Buffer.from(`{"ok":"${'[{,'.repeat(100)}\\"[[[[[["}\n${wide}\n{"ok":2}\n`));
    reader.push(Buffer.from(`${deep}\n`));
    expect(messages).toEqual([{ ok: `${'[{,'.repeat(100)}"[[[[[[` }, { ok: 2 }]);
    expect(problems).toEqual([
      { reason: 'too-large', detail: 'a line has more than 20 values', answers: 1 },
      { reason: 'too-large', detail: 'a line is nested deeper than 5 levels', answers: 2 },
    ]);
  });

  test('does not deliver a short line of too many levels, even between others or in pieces', () => {
    const { messages, problems, reader } = collect(10_000, { maxParts: 1000, maxDepth: 5 });
    const deep = (levels: number): string =>
      `{"id":1,"result":${'[{"":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}}`;
    reader.push(Buffer.from(`1\n${deep(6)}\n2\n${deep(4)}\n`));
    reader.push(Buffer.from(deep(6).slice(0, 20)));
    reader.push(Buffer.from(`${deep(6).slice(20)}\n${deep(6).slice(0, -1)}\n`));
    expect(messages).toEqual([1, 2, { id: 1, result: [{ '': [{ '': 1 }] }] }]);
    const refused = {
      reason: 'too-large',
      detail: 'a line is nested deeper than 5 levels',
      answers: 1,
    };
    expect(problems).toEqual([refused, refused, refused]);
  });

  test('incomplete long messages share a budget; a message that exceeds it is refused, and bytes are returned', () => {
    const budget = new MessageBudget(1_000_000);
    const [first, second] = [collect(2_000_000, { budget }), collect(2_000_000, { budget })];
    const begin = Buffer.from(`{"id":1,"result":"${'x'.repeat(900_000)}`);
    first.reader.push(begin);
    expect(budget.bytes).toBe(begin.length - 256 * 1024);
    second.reader.push(Buffer.from(`{"ok":"${'y'.repeat(200_000)}"}\n`));
    second.reader.push(begin);
    expect(second.messages).toHaveLength(1);
    expect(second.problems).toEqual([
      {
        reason: 'too-large',
        detail: expect.stringContaining('finds no room') as string,
        answers: 1,
      },
    ]);
    first.reader.push(Buffer.from('"}\n'));
    second.reader.push(Buffer.from('"}\n'));
    expect(budget.bytes).toBe(0);
    second.reader.push(begin);
    expect([first.messages.length, budget.bytes, second.problems.length]).toEqual([
      1,
      begin.length - 256 * 1024,
      1,
    ]);
    second.reader.stop();
    expect(budget.bytes).toBe(0);
  });

  test('is not confused by an unfinished string in the previous line', () => {
    const { problems, reader } = collect(10_000, { maxDepth: 5 });
    reader.push(Buffer.from(`{"id":1,"text":"\n${'['.repeat(30)}${']'.repeat(30)}\n`));
    expect(problems.map(({ reason }) => reason)).toEqual(['parse-error', 'too-large']);
  });

  test('discards an over-long line at the end of the stream', () => {
    const { messages, problems, reader } = collect(4);
    reader.push(Buffer.from('123456'));
    reader.end();
    expect(messages).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});
