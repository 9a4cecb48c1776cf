import { describe, expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';
import type { UnreadableMessage } from './transport.ts';

function collect(maxLineBytes = 1000) {
  const messages: unknown[] = [];
  const problems: UnreadableMessage[] = [];
  const reader = new LineReader({ message: (value) => messages.push(value), unreadable: (problem) => problems.push(problem) }, maxLineBytes);
  return { messages, problems, reader };
}

/** Repeatable pseudo-random numbers from 0 to below `limit`. */
function sequence(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % limit;
  };
}

describe('LineReader', () => {
  test('gives the same messages however the bytes are cut', () => {
    const values = [{ text: 'grün – 日本語 🚂' }, 1, 'a\nb', { deep: [null, { x: '\u2028' }] }, {}, '', 'x'.repeat(500)];
    const bytes = Buffer.from(values.map((value, index) => `${JSON.stringify(value)}${index % 2 === 0 ? '\n' : '\r\n'}`).join(''));
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = sequence(seed);
      const { messages, problems, reader } = collect();
      for (let start = 0; start < bytes.length; ) {
        const end = Math.min(bytes.length, start + 1 + random(seed % 7 === 0 ? 3 : 90));
        reader.push(Buffer.from(bytes.subarray(start, end)));
        start = end;
      }
      expect(messages).toEqual(values);
      expect(problems).toEqual([]);
    }
  });

  test('skips blank lines and delivers a last line without newline', () => {
    const { messages, reader } = collect();
    reader.push(Buffer.from('\n\r\n  \n{"a":1}\n\n{"b":2}'));
    expect(messages).toEqual([{ a: 1 }]);
    reader.end();
    expect(messages).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('reports a line that is not JSON and goes on', () => {
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

  test('takes a line of exactly the limit and drops a longer one up to its newline, once', () => {
    const { messages, problems, reader } = collect(10);
    reader.push(Buffer.from(`"${'x'.repeat(8)}"\n`));
    for (let piece = 0; piece < 1000; piece += 1) reader.push(Buffer.from('yyyyyyyyy'));
    reader.push(Buffer.from('y\n2\n'));
    expect(messages).toEqual(['x'.repeat(8), 2]);
    expect(problems).toEqual([{ reason: 'too-large', detail: 'a line is longer than 10 bytes' }]);
  });

  test('drops an over-long line that ends with the stream without delivering it', () => {
    const { messages, problems, reader } = collect(4);
    reader.push(Buffer.from('123456'));
    reader.end();
    expect(messages).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});
