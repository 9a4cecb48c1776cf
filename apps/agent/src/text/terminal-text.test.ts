import { expect, test } from 'vitest';
import { terminalJson, terminalLine, terminalText } from './terminal-text.ts';

const HOSTILE = 'a\u001b[2Jb\u009b31mc\u0007\u007f\rd\u202ee\u2066f\ng\th — é 😀';

test('text keeps its lines and loses terminal controls and bidirectional controls', () => {
  expect(terminalText(HOSTILE)).toBe('a[2Jb31mcdef\ng\th — é 😀');
});

test('a line has no line breaks', () => {
  expect(terminalLine(`${HOSTILE}\u2028i`)).toBe('a[2Jb31mc def g h — é 😀 i');
});

test('JSON keeps its value, in printable characters', () => {
  const json = terminalJson({ text: HOSTILE });
  expect(JSON.parse(json)).toEqual({ text: HOSTILE });
  expect(json).toBe(terminalText(json));
  expect(terminalJson(undefined)).toBe('undefined');
});
