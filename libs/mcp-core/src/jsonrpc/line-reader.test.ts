import { describe, expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';
import type { UnreadableMessage } from './transport.ts';

function collect(maxLineBytes = 1000) {
  const messages: unknown[] = [];
  const problems: UnreadableMessage[] = [];
  const reader = new LineReader({ message: (value) => messages.push(value), unreadable: (problem) => problems.push(problem) }, maxLineBytes);
  return { messages, problems, reader };
}

describe('LineReader', () => {
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
