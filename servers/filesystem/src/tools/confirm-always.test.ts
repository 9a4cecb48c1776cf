import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders, type TemporaryFolders } from '@signalbox/file-sandbox/testing';
import type { JsonObject } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { serveFolders, type Served } from '../testing/connect-to-server.ts';

const files = { 'a.txt': 'precious', 'd/b.txt': 'b' };
/** Each call with the text of its confirmation, and the files afterwards. */
const steps: readonly (readonly [
  tool: string,
  args: JsonObject,
  question: string,
  after: { readonly [name: string]: string },
])[] = [
  [
    'write_file',
    { path: 'a.txt', content: 'new' },
    'a.txt (8 bytes) is replaced.',
    { 'a.txt': 'new', 'd/b.txt': 'b' },
  ],
  [
    'edit_file',
    { path: 'a.txt', edits: [{ oldText: 'precious', newText: 'new' }] },
    'a.txt is changed by 1 edit.',
    { 'a.txt': 'new', 'd/b.txt': 'b' },
  ],
  [
    'append_file',
    { path: 'a.txt', content: '!' },
    '1 characters are added to',
    { 'a.txt': 'precious!', 'd/b.txt': 'b' },
  ],
  [
    'move_file',
    { source: 'a.txt', destination: 'd/c.txt' },
    'a.txt is moved to',
    { 'd/b.txt': 'b', 'd/c.txt': 'precious' },
  ],
  ['delete_file', { path: 'a.txt' }, 'a.txt is deleted for good.', { 'd/b.txt': 'b' }],
  [
    'delete_file',
    { path: 'd', recursive: true },
    'd with 1 files and 0 directories in it is deleted for good.',
    { 'a.txt': 'precious' },
  ],
];

async function contents({ root }: TemporaryFolders): Promise<{ [name: string]: string }> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(
      found
        .toSorted()
        .map(async (file) => [path.relative(root, file), await readFile(file, 'utf8')] as const),
    ),
  );
}

async function serve(folders: TemporaryFolders): Promise<Served> {
  return serveFolders({ directories: [folders.root], confirm: 'always' });
}

describe.each(['legacy', 'modern'] as const)('with --confirm always, a %s client', (era) => {
  test.each(steps)(
    'with elicitation gets a confirmation before %s %j',
    async (tool, args, question, after) => {
      await using folders = await createTemporaryFolders({ root: files });
      await using served = await serve(folders);
      const asked: string[] = [];
      let answer: 'accept' | 'decline' = 'decline';
      const client = await served.connect({
        era,
        elicit: (message) => (asked.push(message), answer),
      });
      expect(await client.callTool(tool, args)).toMatchObject({
        isError: true,
        content: [{ text: 'The user declined. Nothing was done.' }],
      });
      expect(await contents(folders)).toEqual(files);
      answer = 'accept';
      expect((await client.callTool(tool, args)).isError ?? false).toBe(false);
      expect(asked).toEqual([expect.stringContaining(question), expect.stringContaining(question)]);
      expect(await contents(folders)).toEqual(after);
    },
  );

  test.each(steps)(
    'without elicitation needs the token of the refusal for %s %j',
    async (tool, args, question, after) => {
      await using folders = await createTemporaryFolders({ root: files });
      await using served = await serve(folders);
      const client = await served.connect({ era });
      const refusal = await client.callTool(tool, args);
      expect(refusal).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(question) as string }],
      });
      expect(await contents(folders)).toEqual(files);
      const confirmToken =
        /"confirmToken": "([^"]+)"/.exec(
          JSON.stringify(refusal.content).replaceAll('\\"', '"'),
        )?.[1] ?? '';
      expect((await client.callTool(tool, { ...args, confirmToken })).isError ?? false).toBe(false);
      expect(await contents(folders)).toEqual(after);
    },
  );

  test('gets no confirmation for new files, copies, directories, dry-run edits and missing paths', async () => {
    await using folders = await createTemporaryFolders({ root: files });
    await using served = await serve(folders);
    const asked: string[] = [];
    const client = await served.connect({
      era,
      elicit: (message) => (asked.push(message), 'accept'),
    });
    await client.callTool('write_file', { path: 'new.txt', content: 'new' });
    await client.callTool('copy_file', { source: 'a.txt', destination: 'copy.txt' });
    await client.callTool('create_directory', { path: 'e' });
    await client.callTool('edit_file', {
      path: 'a.txt',
      edits: [{ oldText: 'precious', newText: 'x' }],
      dryRun: true,
    });
    for (const tool of ['delete_file', 'append_file', 'edit_file'])
      await client.callTool(tool, {
        path: 'none',
        content: '',
        edits: [{ oldText: 'a', newText: 'b' }],
      });
    await client.callTool('delete_file', { path: 'none' });
    await client.callTool('move_file', { source: 'none', destination: 'other' });
    expect(
      (await client.callTool('copy_file', { source: 'a.txt', destination: 'copy.txt' })).isError,
    ).toBe(true);
    expect(asked).toEqual([]);
    expect(await contents(folders)).toEqual({ ...files, 'copy.txt': 'precious', 'new.txt': 'new' });
  });
});

test('without the option only the deletion of a directory with contents is confirmed', async () => {
  for (const [tool, args] of steps) {
    await using folders = await createTemporaryFolders({ root: files });
    await using served = await serveFolders({ directories: [folders.root] });
    const client = await served.connect();
    const { isError = false } = await client.callTool(tool, args);
    expect([tool, args, isError]).toEqual([tool, args, 'recursive' in args]);
  }
});

test.each(['legacy', 'modern'] as const)(
  'a confirmation is valid for the shown entries only: a %s client',
  async (era) => {
    await using folders = await createTemporaryFolders({ root: files });
    await using served = await serveFolders({ directories: [folders.root] });
    const { writeFileSync } = await import('node:fs');
    const client = await served.connect({
      era,
      elicit: () => (writeFileSync(path.join(folders.root, 'd/added.txt'), 'x'), 'accept'),
    });
    const { isError, content } = await client.callTool('delete_file', {
      path: 'd',
      recursive: true,
    });
    expect([isError, JSON.stringify(content)]).toEqual([
      true,
      expect.stringMatching(/more entries since|not the same/),
    ]);
    expect(await readdir(path.join(folders.root, 'd'))).toEqual(['added.txt', 'b.txt']);
    const plain = await served.connect({ era });
    const refusal = await plain.callTool('delete_file', { path: 'd', recursive: true });
    const confirmToken =
      /confirmToken\\": \\"([^\\]+)/.exec(JSON.stringify(refusal.content))?.[1] ?? '';
    writeFileSync(path.join(folders.root, 'd/third.txt'), 'x');
    expect(
      await plain.callTool('delete_file', { path: 'd', recursive: true, confirmToken }),
    ).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('what it affects has changed') as string }],
    });
    expect(await readdir(path.join(folders.root, 'd'))).toHaveLength(3);
  },
);

test('a confirmation can be answered after a restart of the server with the same key', async () => {
  await using folders = await createTemporaryFolders({ root: files });
  const stateKeys = ['a key of at least thirty-two characters'];
  const asked = await serveFolders({ directories: [folders.root], stateKeys });
  await using anew = await serveFolders({ directories: [folders.root], stateKeys });
  const params = {
    name: 'delete_file',
    arguments: { path: 'd', recursive: true },
    _meta: modernMeta,
  };
  const first = await asked.filesystem.server.handle(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    link,
  );
  await asked[Symbol.asyncDispose]();
  const { requestState, inputRequests } = (
    first as { readonly result: { readonly requestState: string; readonly inputRequests: object } }
  ).result;
  const inputResponses = Object.fromEntries(
    Object.keys(inputRequests).map((key) => [
      key,
      { action: 'accept', content: { confirm: true } },
    ]),
  );
  const second = await anew.filesystem.server.handle(
    {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { ...params, requestState, inputResponses },
    },
    link,
  );
  expect(second).toMatchObject({ result: { structuredContent: { removed: 2 } } });
});

const link = { signal: new AbortController().signal, notify: () => Promise.resolve() };
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
