import type { ServerDefinition } from '@signalbox/client';
import { describe, expect, test } from 'vitest';
import { definitionOf, draftOf, EMPTY_DEFINITION } from './definition-draft.ts';

const definitions: readonly ServerDefinition[] = [
  { url: 'https://mcp.example/mcp' },
  {
    type: 'sse',
    url: 'https://mcp.example/mcp',
    headers: { 'X-Key': '***' },
    signalbox: { trust: true, approval: 'ask', allow: ['read_*'], deny: ['x'], roots: ['/a b'] },
  },
  { command: 'node', args: ['a b', '', '--token', '***'], env: { KEY: '***' }, cwd: 'sub' },
  {
    command: 'node',
    envFile: '.env',
    signalbox: { era: 'legacy', approvals: [{ tools: '*', policy: 'auto' }] },
  },
];

test.each(definitions)('the form keeps %j', (definition) => {
  expect(definitionOf(draftOf(definition))).toEqual(definition);
});

describe('the form', () => {
  test('leaves out empty fields and the fields of the other kind', () => {
    const draft = { ...EMPTY_DEFINITION, url: ' https://a ', command: 'node', args: 'x' };
    expect(definitionOf(draft)).toEqual({ url: 'https://a' });
    const pair = { id: 1, name: ' ', value: 'x' };
    expect(definitionOf({ ...draft, kind: 'command', env: [pair] })).toEqual({
      command: 'node',
      args: ['x'],
      env: {},
    });
  });

  test.each(['{', '[]', '7', 'null'])('rejects %s as further settings', (further) => {
    expect(() => definitionOf({ ...EMPTY_DEFINITION, further })).toThrow(SyntaxError);
  });
});
