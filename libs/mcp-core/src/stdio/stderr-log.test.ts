import { describe, expect, test } from 'vitest';
import { StderrLog } from './stderr-log.ts';

function recorded(...chunks: readonly (string | Buffer)[]): {
  readonly log: StderrLog;
  readonly lines: readonly string[];
} {
  const lines: string[] = [];
  const log = new StderrLog((line) => lines.push(line));
  for (const chunk of chunks) log.write(Buffer.from(chunk));
  return { log, lines };
}

describe('StderrLog', () => {
  test('splits lines wherever the chunks end, even inside a character', () => {
    const bytes = Buffer.from('größe\r\n\nzwei\n');
    const { lines } = recorded(...[...bytes].map((byte) => Buffer.of(byte)));
    expect(lines).toEqual(['größe', '', 'zwei']);
  });

  test('delivers an unfinished last line when the stream ends', () => {
    const { log, lines } = recorded('a\nrest');
    expect(lines).toEqual(['a']);
    log.end();
    log.end();
    expect(lines).toEqual(['a', 'rest']);
  });

  test('delivers at most 8 KiB of a line, cut between characters', () => {
    const { lines } = recorded(`x${'é'.repeat(100_000)}\nnext\n`);
    expect(lines).toEqual([`x${'é'.repeat(4095)}`, 'next']);
  });

  test('keeps the last 64 KiB, cut between characters', () => {
    const { log } = recorded('first\n', `${'é'.repeat(40_000)}x`, 'last\n');
    expect(Buffer.byteLength(log.tail())).toBeLessThanOrEqual(64 * 1024);
    expect(Buffer.byteLength(log.tail())).toBeGreaterThan(64 * 1024 - 4);
    expect(log.tail()).toMatch(/^é+xlast\n$/);
  });

  test('returns the lines that explain why the child ended', () => {
    expect(
      recorded(
        'starting\r\nError: no\r\n    at main (a.js:1:1)\r\n\r\nNode.js v24.21.0\r\n',
      ).log.excerpt(),
    ).toEqual(['Error: no']);
    expect(recorded().log.excerpt()).toEqual([]);
  });
});
