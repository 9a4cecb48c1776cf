import { expect, it } from 'vitest';
import { mcpNameOf } from './mcp-name.ts';

it.each([
  ['tools/call', { name: 'echo', uri: 'a:b' }, 'echo'],
  ['prompts/get', { name: 'greet' }, 'greet'],
  ['resources/read', { uri: 'file:///a', name: 'n' }, 'file:///a'],
  ['tasks/get', { taskId: 't-1' }, 't-1'],
  ['tasks/cancel', { taskId: 't-1' }, 't-1'],
  ['tasks/update', { taskId: 't-1' }, 't-1'],
  ['tasks/result', { taskId: 't-1' }, undefined],
  ['tasks/list', {}, undefined],
  ['tools/list', { name: 'echo' }, undefined],
  ['tools/call', { name: 7 }, undefined],
  ['tools/call', undefined, undefined],
])('%s with %j is named %s', (method, params, expected) => {
  expect(mcpNameOf(method, params)).toBe(expected);
});
