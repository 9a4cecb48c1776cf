import { expect, test } from 'vitest';
import { EMPTY_DEFINITION, type DefinitionDraft } from './definition-draft.ts';
import { readUnsaved, unsavedText } from './unsaved-definition.ts';

const textOf = (draft: Partial<DefinitionDraft>, initial: Partial<DefinitionDraft> = {}) =>
  unsavedText({
    etag: '"1"',
    name: '',
    draft: { ...EMPTY_DEFINITION, ...initial, ...draft },
    initial: { ...EMPTY_DEFINITION, ...initial },
  });

test('a draft of a remote server is kept without the values of its headers', () => {
  const text = textOf({
    url: 'https://mcp.example/v2/mcp',
    headers: [
      { id: 0, name: 'X-Key', value: 'hunter2' },
      { id: 1, name: 'Authorization', value: 'Bearer ${env:TOKEN}' },
    ],
    deny: 'write_*',
  });
  expect(text).not.toContain('hunter2');
  expect(readUnsaved(text)).toMatchObject({
    etag: '"1"',
    name: '',
    fields: {
      url: 'https://mcp.example/v2/mcp',
      headers: [
        { id: 0, name: 'X-Key', value: '' },
        { id: 1, name: 'Authorization', value: 'Bearer ${env:TOKEN}' },
      ],
      deny: 'write_*',
    },
    omitted: ['Value of header 1'],
  });
});

test('a draft of a command is kept without its variables, arguments and further settings', () => {
  const text = textOf({
    kind: 'command',
    command: 'node',
    args: '--password\nhunter2',
    env: [{ id: 0, name: 'KEY', value: '${KEY:-hunter2}' }],
    further: '{"signalbox": {"auth": {"client_secret": "hunter2"}}}',
  });
  expect(text).not.toContain('hunter2');
  expect(readUnsaved(text)?.omitted).toEqual([
    'Arguments',
    'Value of variable 1',
    'Further settings',
  ]);
});

test('values that are as they were stored are neither kept nor missing', () => {
  const stored = {
    url: 'https://mcp.example/?key=hunter2',
    args: 'hunter2',
    further: '{"envFile": "hunter2"}',
    headers: [{ id: 0, name: 'X-Key', value: '***' }],
  };
  const text = textOf({ approval: 'deny' }, stored);
  expect(text).not.toContain('hunter2');
  expect(readUnsaved(text)).toMatchObject({
    fields: { approval: 'deny', headers: stored.headers },
    omitted: [],
  });
});

test('a new value in place of a stored secret is missing, and the secret stays', () => {
  const headers = [{ id: 0, name: 'X-Key', value: '***' }];
  const text = textOf({ headers: [{ id: 0, name: 'X-Key', value: 'hunter2' }] }, { headers });
  expect(readUnsaved(text)).toMatchObject({ fields: { headers }, omitted: ['Value of header 1'] });
});

test.each([
  'https://hunter2@mcp.example/mcp',
  'https://user:hunter2',
  'https://mcp.example/mcp?key=hunter2',
  'https://mcp.example/mcp#hunter2',
  'https://mcp.example/s/hunter2hunter2/mcp',
])('the address %s can contain a token and is not kept', (url) => {
  const text = textOf({ url });
  expect(text).not.toContain('hunter2');
  expect(readUnsaved(text)?.omitted).toEqual(['Address']);
});

test('a draft without changes is not kept', () => {
  expect(textOf({}, { url: 'https://mcp.example/mcp', deny: 'x' })).toBe('');
});
