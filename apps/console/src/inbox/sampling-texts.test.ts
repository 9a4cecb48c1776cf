import { expect, test } from 'vitest';
import { changedMessages, messageTexts } from './sampling-texts.ts';

const one = { role: 'user', content: { type: 'text', text: 'a' } };
const many = {
  role: 'assistant',
  content: [
    { type: 'image', data: '', mimeType: 'image/png' },
    { type: 'text', text: 'b', _meta: {} },
  ],
};

test('the parts of a message are its blocks, alone or in a list', () => {
  expect(messageTexts(one, 0)).toMatchObject([{ place: '0/0', text: 'a' }]);
  expect(messageTexts(many, 1)).toMatchObject([
    { place: '1/0', text: undefined },
    { place: '1/1', text: 'b' },
  ]);
});

test('a changed text replaces only the text of its block', () => {
  expect(changedMessages([one, many], { '0/0': 'x', '1/1': 'y' })).toEqual([
    { role: 'user', content: { type: 'text', text: 'x' } },
    { role: 'assistant', content: [many.content[0], { type: 'text', text: 'y', _meta: {} }] },
  ]);
});
