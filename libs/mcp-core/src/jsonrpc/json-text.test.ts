import { describe, expect, test } from 'vitest';
import { hasJsonText, toJsonParts, toJsonText, withJsonText } from './json-text.ts';

describe('toJsonText', () => {
  test.each([1, 'a"b', ''])(
    'writes a result that has its text like any other, under the id %j',
    (id) => {
      const value = { tools: [{ name: 'ä', nothing: undefined }], nextCursor: '1' };
      const result = withJsonText({ ...value });
      expect(hasJsonText(result)).toBe(true);
      expect(toJsonText({ jsonrpc: '2.0', id, result })).toBe(
        JSON.stringify({ jsonrpc: '2.0', id, result: value }),
      );
      expect(JSON.stringify(result)).toBe(JSON.stringify(value));
    },
  );

  test('serializes any other message', () => {
    const messages = [
      { jsonrpc: '2.0' as const, id: 1, result: { a: 1 } },
      { jsonrpc: '2.0' as const, method: 'ping', params: { result: 1 } },
      { jsonrpc: '2.0' as const, error: { code: -32700, message: 'x' } },
    ];
    for (const message of [...messages, messages])
      expect(toJsonText(message)).toBe(JSON.stringify(message));
  });

  test('ignores changes of the original, and changed copies have no text', () => {
    const result = withJsonText({ a: 1 });
    expect(toJsonText({ jsonrpc: '2.0', id: 1, result: { ...result, b: 2 } })).toContain('"b":2');
    expect(hasJsonText({ ...result })).toBe(false);
    expect(() => {
      result.a = 2;
    }).toThrow(TypeError);
  });
});

describe('toJsonParts', () => {
  const text = 'line\n'.repeat(10_000);
  const answer = (result: { [member: string]: unknown }) => ({
    jsonrpc: '2.0' as const,
    id: 'a',
    result,
  });

  test('contain a repeated text only once', () => {
    const message = answer({
      content: [{ type: 'text', text }],
      structuredContent: { content: text, lines: 10_000 },
    });
    const parts = toJsonParts(message);
    expect(parts?.join('')).toBe(JSON.stringify(message));
    expect(parts).toHaveLength(5);
    expect(parts?.[1]).toBe(parts?.[3]);
  });

  test.each([
    {
      what: 'another text in the structure',
      result: { content: [{ type: 'text', text }], structuredContent: { content: `${text}.` } },
    },
    {
      what: 'a short text',
      result: { content: [{ type: 'text', text: 'a' }], structuredContent: { content: 'a' } },
    },
    { what: 'no structure', result: { content: [{ type: 'text', text }] } },
    {
      what: 'no text',
      result: { content: [{ type: 'image', data: text }], structuredContent: { data: text } },
    },
    { what: 'no blocks', result: { content: [], structuredContent: { text } } },
    { what: 'blocks that are none', result: { content: [null], structuredContent: { text } } },
  ])('leaves $what to the general serializer', ({ result }) => {
    expect(toJsonParts(answer(result))).toBeUndefined();
  });
});
