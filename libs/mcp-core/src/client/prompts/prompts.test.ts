import { expect, test } from 'vitest';
import { readPromptResult } from './prompts.ts';

test.each([
  { role: 'user', content: { type: 'text', text: 't' } },
  { role: 'assistant', content: { type: 'image', data: 'a', mimeType: 'image/png' } },
  { role: 'user', content: { type: 'resource', resource: { uri: 'file:///a', text: '' } } },
  { role: 'user', content: { type: 'of-tomorrow', any: 1 } },
])('a prompt may have the message %j', (message) => {
  expect(readPromptResult({ description: 'd', messages: [message] })).toEqual({
    description: 'd',
    messages: [message],
  });
});

test.each([
  {},
  { role: 'system', content: { type: 'text', text: 't' } },
  { role: 'user', content: 'text' },
  { role: 'user', content: { type: 'text', text: 1 } },
  { role: 'user', content: { type: 'resource', resource: 1 } },
  { role: 'user', content: { type: 1 } },
])('the message %j makes a prompt unusable', (message) => {
  expect(() => readPromptResult({ messages: [message] })).toThrow(
    /prompts\/get: message 0 must have a role and a content block/,
  );
});

test('a description that is not a string is removed', () => {
  expect(readPromptResult({ description: 7, messages: [] })).toEqual({ messages: [] });
});
