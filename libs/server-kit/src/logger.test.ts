import { describe, expect, test } from 'vitest';
import { createLogger, LOG_LEVELS, type LogLevel } from './logger.ts';

function logged(level: LogLevel, message = 'hello'): string[] {
  const lines: string[] = [];
  const log = createLogger(level, { write: (line) => lines.push(line), now: () => new Date(0) });
  for (const own of LOG_LEVELS) log[own](message);
  return lines;
}

describe('createLogger', () => {
  test('writes time, level and message as one line', () => {
    expect(logged('error')).toEqual(['1970-01-01T00:00:00.000Z error hello\n']);
  });

  test.each([
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
  ] as const)('at %s lets %d of the four levels through', (level, count) => {
    expect(logged(level)).toHaveLength(count);
  });

  test('lets no message steer a terminal', () => {
    expect(logged('error', '\u001b[2J\u0007 \u009b1m \u202Etxt.exe é😀')).toEqual([
      String.raw`1970-01-01T00:00:00.000Z error \u001b[2J\u0007 \u009b1m \u202etxt.exe é😀` + '\n',
    ]);
  });

  test('keeps a message with line breaks on one line', () => {
    expect(logged('error', 'a\nb\r\nc\u2028d')).toEqual([
      String.raw`1970-01-01T00:00:00.000Z error a\nb\nc\nd` + '\n',
    ]);
  });
});
