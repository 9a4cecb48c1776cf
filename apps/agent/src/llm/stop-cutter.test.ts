import { expect, test } from 'vitest';
import { StopCutter } from './stop-cutter.ts';

function cut(
  sequences: readonly string[],
  deltas: readonly string[],
): { text: string; hit: string | undefined } {
  const cutter = new StopCutter(sequences);
  let shown = '';
  for (const delta of deltas) {
    const { text, hit } = cutter.push(delta);
    shown += text;
    if (hit !== undefined) return { text: shown, hit };
  }
  return { text: shown + cutter.flush(), hit: undefined };
}

test.each([
  ['within a delta', ['END'], ['one END two'], { text: 'one ', hit: 'END' }],
  ['across deltas', ['END'], ['one E', 'N', 'D two'], { text: 'one ', hit: 'END' }],
  ['a false beginning is shown', ['END'], ['one EN', 'EMY'], { text: 'one ENEMY', hit: undefined }],
  ['a beginning at the end is shown', ['END'], ['one E', 'N'], { text: 'one EN', hit: undefined }],
  ['the first of several', ['two', 'one'], ['a one b two'], { text: 'a ', hit: 'one' }],
  ['a beginning inside a beginning', ['aab'], ['aa', 'ab!'], { text: 'a', hit: 'aab' }],
  ['none asked for', [], ['any', 'thing'], { text: 'anything', hit: undefined }],
  ['an empty one is none', [''], ['any'], { text: 'any', hit: undefined }],
])('%s', (_, sequences, deltas, expected) => {
  expect(cut(sequences, deltas)).toEqual(expected);
});
