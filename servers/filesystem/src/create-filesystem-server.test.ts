import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createManyEntries, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import type { Client } from '@signalbox/mcp-core/client';
import { describe, expect, test } from 'vitest';
import { NoUsableDirectoryError } from './create-filesystem-server.ts';
import { serveFolders, type ConnectOptions } from './testing/connect-to-server.ts';

interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly lines: readonly string[];
}

async function connect(
  directories: readonly string[],
  options?: ConnectOptions,
): Promise<Connected> {
  const served = await serveFolders({ directories });
  return {
    client: await served.connect(options),
    lines: served.lines,
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

function textOf(result: Awaited<ReturnType<Client['callTool']>>): string {
  const [first] = result.content;
  return first?.type === 'text' ? first.text : '';
}

describe.each(['legacy', 'modern'] as const)('the server for a %s client', (era) => {
  test('lists its tools with all four hints, closed schemas and a small size', async () => {
    await using folders = await createTemporaryFolders();
    await using connected = await connect([folders.root], { era });
    const tools = await connected.client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining([
        'list_allowed_directories',
        'list_directory',
        'read_text_file',
        'search_files',
        'summarize_file',
        'write_file',
      ]),
    );
    for (const tool of tools) {
      expect(Object.keys(tool.annotations ?? {}).toSorted()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ]);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
    }
    // The envelope of a modern list takes some hundred of the 20,000 bytes.
    expect(JSON.stringify(tools).length).toBeLessThan(19_850);
  });

  test('every tool answers with structured content that fits its schema', async () => {
    await using folders = await createTemporaryFolders({ root: { 'src/a.txt': 'one\n' } });
    await using connected = await connect([folders.root], { era });
    const { client } = connected;
    const calls = [
      ['write_file', { path: 'src/b.txt', content: 'two' }, { created: true, bytes: 3 }],
      ['read_text_file', { path: 'src/b.txt' }, { content: 'two', size: 3 }],
      ['list_directory', { path: 'src' }, { truncated: false }],
      [
        'search_files',
        { path: '.', pattern: '**/*.txt', groupDepth: 1 },
        { total: 2, groups: [{ directory: 'src', count: 2 }] },
      ],
      ['list_allowed_directories', {}, { directories: [folders.root], source: 'cli' }],
    ] as const;
    for (const [tool, args, expected] of calls) {
      const result = await client.callTool(tool, args);
      expect(result.isError ?? false).toBe(false);
      expect(result.structuredContent).toMatchObject(expected);
    }
  });

  test('returns a failure as a result with advice for the model', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'x' },
      outside: { 'secret.txt': 'TOPSECRET' },
    });
    await using connected = await connect([folders.root], { era });
    const calls = [
      [
        'read_text_file',
        { path: path.join(folders.outside, 'secret.txt') },
        'list_allowed_directories',
      ],
      ['read_text_file', { path: 'a.txt', head: 0 }, 'head'],
      ['read_text_file', { path: 'a.txt', head: 1.5 }, 'head'],
      ['read_text_file', { path: 'a.txt', head: 1, tail: 1 }, 'head and tail'],
      ['read_text_file', { path: 'a.txt', lines: 1 }, 'lines'],
      ['read_text_file', { path: 5 }, 'path'],
      ['read_text_file', {}, 'path'],
    ] as const;
    for (const [tool, args, text] of calls) {
      const result = await connected.client.callTool(tool, args);
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain(text);
    }
  });

  test('lists and reads resources', async () => {
    await using folders = await createTemporaryFolders({
      root: {
        'a b#.txt': 'x',
        'i.png': Buffer.from('iVBORw0KGgo=', 'base64'),
        'd/inner.md': '# Inner',
        'big.bin': Buffer.alloc(800 * 1024),
      },
      outside: { 'secret.txt': 'TOPSECRET' },
    });
    await symlink(path.join(folders.outside, 'secret.txt'), path.join(folders.root, 'leaves'));
    await using connected = await connect([folders.root], { era });
    const { client } = connected;
    const uri = (name: string) => pathToFileURL(path.join(folders.root, name)).href;
    const resources = await client.listResources();
    expect(resources.map((resource) => [resource.uri, resource.mimeType])).toEqual([
      [pathToFileURL(folders.root).href, 'inode/directory'],
      [uri('a b#.txt'), 'text/plain'],
      [uri('big.bin'), undefined],
      [uri('d'), 'inode/directory'],
      [uri('i.png'), 'image/png'],
    ]);
    expect(resources[1]).toMatchObject({ name: 'a b#.txt', size: 1 });
    expect(await client.listResourceTemplates()).toMatchObject([
      { uriTemplate: 'file:///{+path}' },
    ]);
    expect(await client.readResource(`file://${folders.root}/a%20b%23.txt`)).toEqual([
      { uri: uri('a b#.txt'), mimeType: 'text/plain', text: 'x' },
    ]);
    expect(await client.readResource(uri('i.png'))).toEqual([
      { uri: uri('i.png'), mimeType: 'image/png', blob: 'iVBORw0KGgo=' },
    ]);
    const listing = { entries: [{ name: 'inner.md', type: 'file' }], truncated: false };
    expect(await client.readResource(uri('d'))).toEqual([
      { uri: uri('d'), mimeType: 'application/json', text: JSON.stringify(listing) },
      { uri: uri('d/inner.md'), mimeType: 'text/markdown', text: '# Inner' },
    ]);
    const notFound = { name: 'ResourceNotFoundError', data: { uri: uri('none') } };
    await expect(client.readResource(uri('none'))).rejects.toMatchObject(notFound);
    for (const forbidden of [
      uri('leaves'),
      `file://${folders.outside}/secret.txt`,
      'file://elsewhere/x',
      'https://example.com/',
    ]) {
      await expect(client.readResource(forbidden)).rejects.toMatchObject({
        ...notFound,
        data: { uri: forbidden },
      });
    }
    await expect(client.readResource(uri('big.bin'))).rejects.toThrow('read_text_file');
  });

  test('notifies a subscriber of changes until it unsubscribes', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': '0' } });
    await using connected = await connect([folders.root], { era });
    const uri = pathToFileURL(path.join(folders.root, 'a.txt')).href;
    const updates: string[] = [];
    let resolveUpdate = (): void => undefined;
    const watch = await connected.client.watch({
      resources: [uri],
      onResourceUpdated: (updated) => {
        updates.push(updated);
        resolveUpdate();
      },
    });
    const update = new Promise<void>((resolve) => (resolveUpdate = resolve));
    await writeFile(path.join(folders.root, 'a.txt'), '1');
    await update;
    expect(updates).toEqual([uri]);
    await watch.close();
  });
});

test('refuses a subscription outside before a watch begins', async () => {
  await using folders = await createTemporaryFolders({ outside: { 'x.txt': 's' } });
  await symlink(folders.outside, path.join(folders.root, 'd'));
  await using connected = await connect([folders.root]);
  for (const target of [
    path.join(folders.outside, 'x.txt'),
    path.join(folders.outside, 'none'),
    path.join(folders.root, 'd/x.txt'),
  ]) {
    const uri = pathToFileURL(target).href;
    const watch = await connected.client.watch({ resources: [uri] });
    expect(watch.filter.resourceSubscriptions ?? []).toEqual([]);
  }
});

test('pages through many resources', async () => {
  const names = Array.from({ length: 230 }, (_, index) => `f${index}.txt`);
  await using folders = await createTemporaryFolders({
    root: Object.fromEntries(names.map((name) => [name, ''])),
    outside: { 'z.txt': '' },
  });
  await using connected = await connect([folders.root, folders.outside]);
  const resources = await connected.client.listResources();
  const expected = [
    folders.root,
    ...names.toSorted().map((name) => path.join(folders.root, name)),
    folders.outside,
    path.join(folders.outside, 'z.txt'),
  ];
  expect(resources.map((resource) => resource.uri)).toEqual(
    expected.map((each) => pathToFileURL(each).href),
  );
});

test.each([98, 99, 100])(
  'a page that ends at a directory loses nothing (%i files before it)',
  async (count) => {
    const names = Array.from({ length: count }, (_, index) => `f${index}.txt`);
    await using folders = await createTemporaryFolders({
      root: Object.fromEntries(names.map((name) => [name, ''])),
      outside: { 'y.txt': '', 'z.txt': '' },
    });
    await using connected = await connect([folders.root, folders.outside]);
    const resources = await connected.client.listResources();
    expect(new Set(resources.map((resource) => resource.uri)).size).toBe(count + 4);
    expect(resources).toHaveLength(count + 4);
  },
);

test('each connection of one server has the sandbox of its own client', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a/x.txt': 'A', 'b/x.txt': 'B' } });
  await using served = await serveFolders({ directories: [folders.root] });
  const rootOf = (name: string) => () => [
    { uri: pathToFileURL(path.join(folders.root, name)).href },
  ];
  const [first, second] = [
    await served.connect({ roots: rootOf('a') }),
    await served.connect({ roots: rootOf('b') }),
  ];
  const modern = await served.connect({ era: 'modern', roots: rootOf('a') });
  const read = async (client: Client, file: string) =>
    textOf(await client.callTool('read_text_file', { path: path.join(folders.root, file) }));
  expect([
    await read(first, 'a/x.txt'),
    await read(second, 'b/x.txt'),
    await read(modern, 'b/x.txt'),
  ]).toEqual(['A', 'B', 'B']);
  expect(await read(first, 'b/x.txt')).toContain('Access denied');
  expect(await read(second, 'a/x.txt')).toContain('Access denied');
});

test('changed roots take effect on the next call', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a/x': '', 'b/x': '' } });
  let current = 'a';
  await using connected = await connect([folders.root], {
    roots: () =>
      current === '' ? [] : [{ uri: pathToFileURL(path.join(folders.root, current)).href }],
  });
  const allowed = async () =>
    (await connected.client.callTool('list_allowed_directories', {})).structuredContent;
  expect(await allowed()).toMatchObject({
    directories: [path.join(folders.root, 'a')],
    source: 'roots',
  });
  current = 'b';
  await connected.client.rootsChanged();
  expect(await allowed()).toMatchObject({
    directories: [path.join(folders.root, 'b')],
    source: 'roots',
  });
  current = '';
  await connected.client.rootsChanged();
  expect(await allowed()).toMatchObject({ directories: [], source: 'roots' });
});

test('says what to do when neither the command line nor the client names a directory', async () => {
  await using connected = await connect([]);
  const result = await connected.client.callTool('list_directory', { path: '.' });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('Start the server with a directory argument');
});

test('leaves out a directory that is missing, and does not start when all are', async () => {
  await using folders = await createTemporaryFolders();
  const missing = path.join(folders.root, 'none');
  await using connected = await connect([missing, folders.root]);
  expect(connected.lines).toEqual([
    expect.stringContaining(`warn ignored directory ${missing}: no such directory`),
  ]);
  await expect(serveFolders({ directories: [missing] })).rejects.toBeInstanceOf(
    NoUsableDirectoryError,
  );
});

test('prompts and resources are in the debug log', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': 'x' } });
  await using connected = await connect([folders.root]);
  await connected.client.getPrompt('explore_project', { path: '.' });
  const uri = pathToFileURL(path.join(folders.root, 'a.txt')).href;
  await connected.client.readResource(uri);
  expect(connected.lines.map((line) => line.replace(/^\S+ /, '').replace(/\d+\n/, 'N'))).toEqual([
    'debug prompt=explore_project outcome=finished ms=N',
    `debug resource=${uri} outcome=finished ms=N`,
  ]);
});

test('a cancelled search leaves its evidence in the debug log', async () => {
  await using folders = await createTemporaryFolders();
  const names = Array.from({ length: 300 }, (_, index) => `f${index}`);
  for (let directory = 0; directory < 40; directory++)
    createManyEntries(path.join(folders.root, `d${directory}`), names);
  await using connected = await connect([folders.root]);
  const cancel = new AbortController();
  const onProgress = () => cancel.abort();
  const call = connected.client.callTool(
    'search_files',
    { path: '.', pattern: 'nothing' },
    { signal: cancel.signal, onProgress },
  );
  await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
  await expect
    .poll(() => connected.lines.join(''))
    .toMatch(/ debug tool=search_files outcome=cancelled scanned=\d{4,5} ms=\d+\n/);
});

describe.each(['legacy', 'modern'] as const)('options, for a %s client', (era) => {
  test('--read-only leaves no tool that changes something', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'x' } });
    await using served = await serveFolders({ directories: [folders.root], readOnly: true });
    const client = await served.connect({ era });
    const tools = await client.listTools();
    expect(tools.length).toBeGreaterThan(0);
    expect(tools.filter((tool) => tool.annotations?.readOnlyHint !== true)).toEqual([]);
    await expect(
      client.callTool('write_file', { path: 'a.txt', content: 'y' }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  test('--deny hides from lists, reads, completion and subscriptions', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'x', '.env': 'KEY=1', 'd/.env': 'KEY=2', 'd/b.txt': 'y' },
    });
    await using served = await serveFolders({ directories: [folders.root], deny: ['.env'] });
    const client = await served.connect({ era });
    const uri = (name: string) => pathToFileURL(path.join(folders.root, name)).href;
    expect((await client.listResources()).map((resource) => resource.uri)).toEqual(
      [uri(''), uri('a.txt'), uri('d')].map((each) => each.replace(/\/$/, '')),
    );
    const contents = await client.readResource(uri('d'));
    expect(contents.map((each) => each.uri)).toEqual([uri('d'), uri('d/b.txt')]);
    expect(JSON.stringify(contents)).not.toContain('.env');
    await expect(client.readResource(uri('.env'))).rejects.toMatchObject({ code: -32602 });
    const reference = { type: 'ref/resource', uri: 'file:///{+path}' } as const;
    expect(
      (await client.complete(reference, { name: 'path', value: `${folders.root.slice(1)}/.` }))
        .values,
    ).toEqual([]);
    const watch = await client.watch({ resources: [uri('.env')] });
    expect(watch.filter.resourceSubscriptions ?? []).toEqual([]);
  });

  test('--watch off declares no subscriptions', async () => {
    await using folders = await createTemporaryFolders();
    await using served = await serveFolders({ directories: [folders.root], watch: 'off' });
    const client = await served.connect({ era });
    expect(client.server.capabilities.resources?.subscribe).toBeUndefined();
  });

  test('--roots replace lets the roots of the client take the place of the directories', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'in' },
      outside: { 'b.txt': 'out' },
    });
    await using served = await serveFolders({ directories: [folders.root], roots: 'replace' });
    const client = await served.connect({
      era,
      roots: () => [{ uri: pathToFileURL(folders.outside).href }],
    });
    expect((await client.callTool('list_allowed_directories', {})).structuredContent).toMatchObject(
      { directories: [folders.outside], source: 'roots' },
    );
    expect(textOf(await client.callTool('read_text_file', { path: 'b.txt' }))).toBe('out');
    expect(
      (await client.callTool('read_text_file', { path: path.join(folders.root, 'a.txt') })).isError,
    ).toBe(true);
  });

  test('without a directory the roots of the client are served, and a client without roots gets an error', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'in' } });
    await using served = await serveFolders({ directories: [] });
    const client = await served.connect({
      era,
      roots: () => [{ uri: pathToFileURL(folders.root).href }],
    });
    expect(textOf(await client.callTool('read_text_file', { path: 'a.txt' }))).toBe('in');
    expect(
      await client.readResource(pathToFileURL(path.join(folders.root, 'a.txt')).href),
    ).toMatchObject([{ text: 'in' }]);
    const rootless = await served.connect({ era });
    const outcome = await rootless
      .callTool('list_allowed_directories', {})
      .catch((error: unknown) => error);
    expect(outcome).toMatchObject(
      era === 'modern' ? { code: -32021 } : { structuredContent: { directories: [] } },
    );
  });

  test('a deleted directory is an error until it is back, and one replaced by a link stays denied', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'r/a.txt': 'in' },
      outside: { 'a.txt': 'SECRET' },
    });
    const allowed = path.join(folders.root, 'r');
    await using served = await serveFolders({ directories: [allowed] });
    const client = await served.connect({ era });
    const read = async () => textOf(await client.callTool('read_text_file', { path: 'a.txt' }));
    await rm(allowed, { recursive: true });
    expect(await read()).toMatch(/no such file|not exist/);
    expect(await client.listResources()).toEqual([]);
    await symlink(folders.outside, allowed);
    expect(await read()).toContain('Access denied');
    await unlink(allowed);
    await mkdir(allowed);
    await writeFile(path.join(allowed, 'a.txt'), 'back');
    expect(await read()).toBe('back');
  });

  test('a single file is a root of its own', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'in', 'b.txt': 'beside' },
    });
    const file = path.join(folders.root, 'a.txt');
    await using served = await serveFolders({ directories: [file] });
    const client = await served.connect({ era });
    expect(textOf(await client.callTool('read_text_file', { path: file }))).toBe('in');
    expect((await client.listResources()).map((resource) => resource.uri)).toEqual([
      pathToFileURL(file).href,
    ]);
    expect(
      (await client.callTool('read_text_file', { path: path.join(folders.root, 'b.txt') })).isError,
    ).toBe(true);
    const updated = Promise.withResolvers<string>();
    const watch = await client.watch({
      resources: [pathToFileURL(file).href],
      onResourceUpdated: updated.resolve,
    });
    await writeFile(`${file}.new`, 'replaced');
    await rename(`${file}.new`, file);
    expect(await updated.promise).toBe(pathToFileURL(file).href);
    await watch.close();
  });
});

test('a directory and its contents are deleted after the client returns the token of the first result', async () => {
  await using folders = await createTemporaryFolders({ root: { 'd/a.txt': 'x' } });
  await using served = await serveFolders({ directories: [folders.root] });
  const client = await served.connect();
  const args = { path: 'd', recursive: true };
  const refused = await client.callTool('delete_file', args);
  expect(refused.isError).toBe(true);
  const [, confirmToken = ''] = /"confirmToken": "([^"]+)"/.exec(textOf(refused)) ?? [];
  expect(
    (await client.callTool('delete_file', { ...args, path: './d', confirmToken })).isError,
  ).toBe(true);
  const [, second = ''] =
    /"confirmToken": "([^"]+)"/.exec(textOf(await client.callTool('delete_file', args))) ?? [];
  expect(
    (await client.callTool('delete_file', { ...args, confirmToken: second })).isError ?? false,
  ).toBe(false);
  expect(await client.readResource(pathToFileURL(folders.root).href)).toHaveLength(1);
});

test('two spellings of one directory both lead to it', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': 'x' } });
  const link = `${folders.root}-link`;
  await symlink(folders.root, link);
  await using served = await serveFolders({ directories: [folders.root, link], deny: ['.env'] });
  const client = await served.connect();
  for (const spelling of [folders.root, link])
    expect(
      textOf(await client.callTool('read_text_file', { path: path.join(spelling, 'a.txt') })),
    ).toBe('x');
  expect(
    (await client.callTool('read_text_file', { path: path.join(link, '.env') })).content,
  ).toMatchObject([
    { text: expect.stringContaining('denied by the configuration of this server') as string },
  ]);
  expect((await client.callTool('delete_file', { path: link })).isError).toBe(true);
});

test.each(['legacy', 'modern'] as const)(
  'without any directory the allowed ones are those of the roots, for a %s client',
  async (era) => {
    await using served = await serveFolders({ directories: [] });
    const client = await served.connect(era === 'modern' ? { era, roots: () => [] } : { era });
    expect((await client.callTool('list_allowed_directories', {})).structuredContent).toMatchObject(
      { directories: [], source: 'roots' },
    );
  },
);

test.each(['legacy', 'modern'] as const)(
  'a %s client walks the pages of a large directory, and sees changes',
  async (era) => {
    await using folders = await createTemporaryFolders();
    createManyEntries(
      folders.root,
      Array.from({ length: 950 }, (_, index) => `f${String(index).padStart(5, '0')}`),
    );
    await using served = await serveFolders({ directories: [folders.root] });
    const client = await served.connect({ era });
    expect(await client.listResources()).toHaveLength(951);
    await writeFile(path.join(folders.root, 'added'), '');
    expect((await client.listResources()).map(({ name }) => name)).toContain('added');
  },
);

test.each(['legacy', 'modern'] as const)(
  'a directory as a resource stays within the budget of a result, for a %s client',
  async (era) => {
    await using folders = await createTemporaryFolders();
    createManyEntries(
      folders.root,
      Array.from({ length: 2000 }, (_, index) => `${'"'.repeat(100)}${index}`),
    );
    await using served = await serveFolders({
      directories: [folders.root],
      limits: { maxResultBytes: 65_536 },
    });
    const client = await served.connect({ era });
    const contents = await client.readResource(pathToFileURL(folders.root).href);
    expect(Buffer.byteLength(JSON.stringify(contents))).toBeLessThan(65_536);
    const [listing] = contents;
    expect(
      listing !== undefined && 'text' in listing && listing.text.endsWith('"truncated":true}'),
    ).toBe(true);
  },
);
