import { describe, expect, test } from 'vitest';
import { toJsonParts } from './json-parts.ts';

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
