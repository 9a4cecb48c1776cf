import { describe, expect, test } from 'vitest';
import { hasJsonText, toJsonText, withJsonText } from './json-text.ts';

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
