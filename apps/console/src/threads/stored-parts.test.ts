import type { Message } from '@signalbox/client';
import { expect, test } from 'vitest';
import { promptOf, storedParts } from './stored-parts.ts';

const message = (role: Message['role'], turn: number, content: Message['content']): Message => ({
  id: `${role}${turn}`,
  run_id: 'r',
  turn,
  role,
  content,
});

const PROMPT = message('user', 0, [{ type: 'text', text: 'Which tables?' }]);

test('the prompt is the first text; the note about attachments is not part of it', () => {
  expect(promptOf([PROMPT])).toEqual({ text: 'Which tables?', hasAttachments: false });
  const note = { type: 'text', text: '[The user attached artifacts. Read texts with …]' };
  expect(promptOf([message('user', 0, [...PROMPT.content, note])])).toEqual({
    text: 'Which tables?',
    hasAttachments: true,
  });
  expect(promptOf([])).toBeUndefined();
});

test('texts and calls come in order, each call with the result that has its id', () => {
  const parts = storedParts([
    PROMPT,
    message('assistant', 1, [
      { type: 'reasoning', text: 'Look first.' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'a', name: 'sqlite__list_tables', input: {} },
      { type: 'tool_use', id: 'b', name: 'sqlite__read_query', input: { query: 'x' } },
      { type: 'tool_use', id: 'c', name: 'weather__current', input: {} },
    ]),
    message('user', 1, [
      {
        type: 'tool_result',
        toolUseId: 'b',
        isError: true,
        content: [{ type: 'text', text: 'no such column' }],
      },
      {
        type: 'tool_result',
        toolUseId: 'a',
        content: [
          { type: 'text', text: 'orders' },
          { type: 'image', data: '' },
        ],
      },
    ]),
    message('assistant', 2, [
      { type: 'text', text: '  ' },
      { type: 'refusal', text: 'I will not.' },
    ]),
  ]);
  expect(parts).toMatchObject([
    { kind: 'reasoning', text: 'Look first.', turn: 1 },
    { kind: 'text', text: 'I look.' },
    { kind: 'call', name: 'sqlite__list_tables', state: 'done', result: 'orders\n[image]' },
    { kind: 'call', name: 'sqlite__read_query', state: 'failed', result: 'no such column' },
    { kind: 'call', name: 'weather__current', state: 'cancelled' },
    { kind: 'text', text: 'I will not.', turn: 2 },
  ]);
  expect(new Set(parts.map(({ key }) => key)).size).toBe(parts.length);
});
