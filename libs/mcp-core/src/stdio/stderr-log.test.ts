import { describe, expect, test } from 'vitest';
import { StderrLog } from './stderr-log.ts';

function recorded(...chunks: readonly (string | Buffer)[]): { readonly log: StderrLog; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const log = new StderrLog((line) => lines.push(line));
  for (const chunk of chunks) log.write(Buffer.from(chunk));
  return { log, lines };
}

describe('StderrLog', () => {
  test('cuts lines wherever the chunks end, inside a character too', () => {
    const bytes = Buffer.from('größe\r\n\nzwei\n');
    const { log, lines } = recorded(...[...bytes].map((byte) => Buffer.of(byte)));
    expect(lines).toEqual(['größe', '', 'zwei']);
    expect(log.lastLine()).toBe('zwei');
  });

  test('delivers an unfinished last line when the stream ends', () => {
    const { log, lines } = recorded('a\nrest');
    expect(lines).toEqual(['a']);
    log.end();
    log.end();
    expect(lines).toEqual(['a', 'rest']);
    expect(log.lastLine()).toBe('rest');
  });

  test('gives at most 8 KiB of a line, cut between characters', () => {
    const { lines } = recorded(`x${'é'.repeat(100_000)}\nnext\n`);
    expect(lines).toEqual([`x${'é'.repeat(4095)}`, 'next']);
  });

  test('keeps the last 64 KiB, cut between characters', () => {
    const { log } = recorded('first\n', `${'é'.repeat(40_000)}x`, 'last\n');
    expect(Buffer.byteLength(log.tail())).toBeLessThanOrEqual(64 * 1024);
    expect(Buffer.byteLength(log.tail())).toBeGreaterThan(64 * 1024 - 4);
    expect(log.tail()).toMatch(/^é+xlast\n$/);
  });

  test('does not take a blank line for the last one', () => {
    expect(recorded('fatal: no\n  \n\n').log.lastLine()).toBe('fatal: no');
    expect(recorded().log.lastLine()).toBe('');
  });

  test('takes the error of a Node that crashed for its last words, not the version below it', () => {
    const crash = "node:internal/modules/cjs/loader:1424\n  throw err;\n  ^\n\nError: Cannot find module '/nowhere.js'\n    at node:internal/main {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v24.21.0\n";
    expect(recorded(crash).log.lastLine()).toBe("Error: Cannot find module '/nowhere.js'");
    expect(recorded('TypeError [ERR_X]: no\n\nNode.js v24.21.0\n').log.lastLine()).toBe('TypeError [ERR_X]: no');
    expect(recorded('Error: handled\nlistening failed\n').log.lastLine()).toBe('listening failed');
    expect(recorded('Node.js v24.21.0\n').log.lastLine()).toBe('Node.js v24.21.0');
  });
});
