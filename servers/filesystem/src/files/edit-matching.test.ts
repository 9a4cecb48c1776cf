import { threadCpuMs } from '@signalbox/server-kit/testing';
import { describe, expect, test } from 'vitest';
import { applyEdits as applyInTurns } from './edit-matching.ts';
import type { TextEdit } from './text-edit.ts';
import { Turns } from './turns.ts';

const applyEdits = (
  text: string,
  edits: readonly TextEdit[],
  signal = new AbortController().signal,
) => applyInTurns(text, edits, new Turns({ signal }));

const python = 'def f():\n\tif a:\n\t\treturn 1\n\treturn 2\n';

describe('an edit that matches only without its indentation', () => {
  test.each([
    [
      'spaces for tabs',
      python,
      '    if a:\n        return 1',
      '    if a:\n        return 10\n    else:\n        pass',
      'def f():\n\tif a:\n\t\treturn 10\n\telse:\n\t\tpass\n\treturn 2\n',
    ],
    [
      'one level too few',
      python,
      'if a:\n\treturn 1\n',
      'if a:\n\treturn 1\nif b:\n\tif c:\n\t\treturn 3\n',
      'def f():\n\tif a:\n\t\treturn 1\n\tif b:\n\t\tif c:\n\t\t\treturn 3\n\treturn 2\n',
    ],
    [
      'two spaces for four',
      'a {\n    b {\n        c\n    }\n}\n',
      '  b {\n    c\n  }',
      '  b {\n    c {\n      d\n    }\n  }',
      'a {\n    b {\n        c {\n            d\n        }\n    }\n}\n',
    ],
    [
      'the file’s own spaces, moved',
      'a:\n  b:\n    c\n',
      'b:\n  c',
      'b:\n  c\n  d:\n    e',
      'a:\n  b:\n    c\n    d:\n      e\n',
    ],
    ['trailing spaces', 'x  \ny\n', 'x\ny\n', 'x\nz\n', 'x\nz\n'],
    ['a removed line', 'a\n    b\nc\n', '      b\n', '', 'a\nc\n'],
    [
      'the indentation of one line',
      python,
      '    return 2',
      '    return 3',
      'def f():\n\tif a:\n\t\treturn 1\n\treturn 3\n',
    ],
  ])('is written as the file indents: %s', async (_case, text, oldText, newText, expected) => {
    expect(await applyEdits(text, [{ oldText, newText }])).toEqual({
      text: expected,
      replacements: 1,
    });
  });

  test.each([
    ['one indentation of the caller stands for two', 'if a:\n\tx\n\t\ty\n', '  x\n  y', '  x\n  z'],
    [
      'the unit of the caller is a guess',
      'if a:\n\tif b:\n\t\tx\n',
      '  x',
      '   if d:\n       y\n  x',
    ],
    ['the file mixes tabs and spaces', '\ta\n    b\n  c\n', '      b', '      b\n        d'],
    ['the new text mixes them', python, '    return 2', '    \treturn 3'],
  ])('is refused when the indentation is not clear: %s', async (_case, text, oldText, newText) => {
    await expect(applyEdits(text, [{ oldText, newText }])).rejects.toThrow(
      /how to indent newText there is not clear; nothing was changed/,
    );
  });

  test('is refused when it matches twice', async () => {
    await expect(
      applyEdits('\tx = 1\n\n\t\tx = 1\n', [{ oldText: '  x = 1', newText: '  x = 2' }]),
    ).rejects.toThrow('ignoring indentation it occurs 2 times (lines 1, 3)');
  });

  test('is refused when it is blank', async () => {
    await expect(applyEdits('a\nb\n', [{ oldText: '  \n  ', newText: 'x' }])).rejects.toThrow(
      'was not found',
    );
  });
});

describe('an edit that does not match', () => {
  test('quotes the lines most like it with their numbers', async () => {
    const text =
      Array.from({ length: 40 }, (_, index) => `line number ${index}`).join('\n') +
      '\nfunction compute(total, rate) {\n  return total * rate;\n}\n';
    await expect(
      applyEdits(text, [
        { oldText: 'function compute(total, rates) {\n  return total * rate;\n}', newText: 'x' },
      ]),
    ).rejects.toThrow(
      'The nearest lines are:\n40\tline number 39\n41\tfunction compute(total, rate) {\n42\t  return total * rate;\n43\t}',
    );
    await expect(
      applyEdits(text, [{ oldText: 'function computes(total', newText: 'x' }]),
    ).rejects.toThrow('41\tfunction compute(total, rate) {');
  });

  test('reports that no line is similar', async () => {
    await expect(applyEdits('alpha\nbeta\n', [{ oldText: 'ωψχ', newText: 'x' }])).rejects.toThrow(
      'No line of the file is like it',
    );
  });

  test('takes bounded processor time on a large text', async () => {
    const text = 'some line of code that is not the one\n'.repeat(200_000);
    const begun = threadCpuMs();
    await expect(
      applyEdits(text, [{ oldText: 'quite another one\n'.repeat(50), newText: 'x' }]),
    ).rejects.toThrow('was not found');
    expect(threadCpuMs() - begun).toBeLessThan(4000);
  });
});
