import { expect, test } from 'vitest';
import { readResult } from './content-block.ts';

test('blocks keep their order and their types', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'resource_link', uri: 'file:///a', name: 'A' },
    { type: 'resource', resource: { uri: 'file:///b', text: 'b' } },
    { type: 'resource', resource: { uri: 'file:///c', blob: 'AA==', mimeType: 'audio/wav' } },
    { type: 'future', x: 1 },
    7,
  ];
  expect(readResult({ content }).blocks).toEqual([
    { type: 'text', text: 'a' },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'link', uri: 'file:///a', name: 'A', mimeType: undefined },
    { type: 'text', text: 'b' },
    { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
    { type: 'other', value: { type: 'future', x: 1 } },
    { type: 'other', value: 7 },
  ]);
});

test('the text that repeats the structured content is left out', () => {
  const structuredContent = { a: 1 };
  const text = (value: string) => ({ type: 'text', text: value });
  const content = [text(JSON.stringify(structuredContent, undefined, 2)), text('b')];
  expect(readResult({ content, structuredContent })).toEqual({
    blocks: [text('b')],
    structured: structuredContent,
    isStructuredShown: false,
  });
});

test('a text that is a part of the structured content stands for it', () => {
  const content = [{ type: 'text', text: 'whole' }];
  expect(readResult({ content, structuredContent: { content: 'whole' } })).toMatchObject({
    blocks: content,
    isStructuredShown: true,
  });
});

test('a result of another shape is shown as it is', () => {
  expect(readResult('plain').blocks).toEqual([{ type: 'other', value: 'plain' }]);
  expect(readResult(undefined).blocks).toEqual([]);
});
