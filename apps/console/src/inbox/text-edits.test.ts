import { expect, test } from 'vitest';
import { textEdits } from './text-edits.ts';
import { toolEffects } from './tool-effects.ts';

test('edits of texts are found in the arguments and in lists of them', () => {
  expect(textEdits({ old_string: 'a', new_string: 'b' })).toEqual([{ before: 'a', after: 'b' }]);
  expect(textEdits({ path: 'x', edits: [{ oldText: 'a', newText: 'b' }, 1, null] })).toEqual([
    { before: 'a', after: 'b' },
  ]);
  expect(textEdits({ oldText: 'a' })).toEqual([]);
  expect(textEdits('text')).toEqual([]);
});

test('a tool without hints has the worst effects', () => {
  const texts = (annotations: object): readonly string[] =>
    toolEffects({ ...annotations }).map(({ text }) => text);
  expect(texts({})).toEqual([
    'May delete or overwrite data',
    'Repeating it has its effect again',
    'Reaches other systems',
  ]);
  expect(texts({ readOnlyHint: true, openWorldHint: false })).toEqual(['Reads only']);
  expect(texts({ readOnlyHint: 'yes', destructiveHint: false, openWorldHint: false })).toEqual([
    'Adds or changes data',
    'Repeating it has its effect again',
  ]);
});
