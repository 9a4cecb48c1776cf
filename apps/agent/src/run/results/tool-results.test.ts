import type { CallToolResult } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { cutResult } from './tool-results.ts';

const textOf = (result: CallToolResult): string =>
  result.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('|');

describe('a result within the limit', () => {
  test('is unchanged', () => {
    const result: CallToolResult = {
      content: [{ type: 'text', text: 'short' }],
      structuredContent: { a: 1 },
    };
    expect(cutResult(result, 100)).toBe(result);
  });
});

describe('a result over the limit', () => {
  test('keeps its beginning and end with a note about the missing part', () => {
    const cut = cutResult({ content: [{ type: 'text', text: `HEAD${'x'.repeat(200)}TAIL` }] }, 100);
    expect(textOf(cut)).toBe(
      `HEAD${'x'.repeat(71)}\n[… 108 of 208 bytes left out here …]\n${'x'.repeat(21)}TAIL`,
    );
  });

  test('is truncated in proportion over its blocks, including embedded resources, and images are kept', () => {
    const cut = cutResult(
      {
        content: [
          { type: 'text', text: 'a'.repeat(300) },
          { type: 'image', data: 'b'.repeat(500), mimeType: 'image/png' },
          { type: 'resource', resource: { uri: 'file:///x', text: 'c'.repeat(100) } },
        ],
      },
      100,
    );
    expect(cut.content[0]).toMatchObject({
      text: expect.stringMatching(/^a{57}\n.*225 of 300.*\na{18}$/) as unknown,
    });
    expect(cut.content[1]).toMatchObject({ data: 'b'.repeat(500) });
    expect(cut.content[2]).toMatchObject({
      resource: { text: expect.stringMatching(/^c{19}\n.*75 of 100.*\nc{6}$/) as unknown },
    });
  });

  test('never splits a character', () => {
    const cut = textOf(cutResult({ content: [{ type: 'text', text: '€'.repeat(100) }] }, 100));
    expect(cut).toMatch(/^€{25}\n\[… 201 of 300 bytes left out here …\]\n€{8}$/);
  });

  test('loses structured content that repeats its text', () => {
    const cut = cutResult(
      {
        content: [{ type: 'text', text: 'x'.repeat(200) }],
        structuredContent: { text: 'x'.repeat(200) },
      },
      100,
    );
    expect(cut.structuredContent).toBeUndefined();
  });

  test('with only structured content becomes truncated text', () => {
    const cut = cutResult(
      { content: [], structuredContent: { rows: 'y'.repeat(200) }, isError: false },
      100,
    );
    expect(cut).toMatchObject({
      isError: false,
      content: [
        { type: 'text', text: expect.stringMatching(/^\{"rows":"y+\n.*\ny+"\}$/) as unknown },
      ],
    });
    expect(cut.structuredContent).toBeUndefined();
  });
});
