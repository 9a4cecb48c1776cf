import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const SOURCES = new URL('.', import.meta.url).pathname;

/** Each folder and the folders that it may import. */
const ALLOWED: { readonly [folder: string]: readonly string[] } = {
  jsonrpc: [],
  protocol: ['jsonrpc'],
  schema: ['jsonrpc', 'protocol'],
  era: ['jsonrpc', 'protocol', 'schema'],
  'http/headers': ['jsonrpc'],
  'http/addresses': [],
  server: ['jsonrpc', 'protocol', 'schema', 'era'],
  client: ['jsonrpc', 'protocol', 'schema', 'era', 'http/headers'],
  'http/server': ['jsonrpc', 'protocol', 'schema', 'era', 'server', 'http/headers'],
  'http/protected-resource': [
    'jsonrpc',
    'protocol',
    'http/headers',
    'http/addresses',
    'http/server',
    'auth',
  ],
  'http/client': ['jsonrpc', 'protocol', 'schema', 'era', 'http/headers'],
  auth: ['jsonrpc', 'protocol', 'http/headers', 'http/addresses', 'http/client'],
  stdio: ['jsonrpc', 'protocol', 'server'],
  testing: ['jsonrpc', 'protocol', 'schema', 'era', 'server', 'client', 'auth'],
};

interface Source {
  readonly file: string;
  readonly text: string;
}

async function readSources(): Promise<readonly Source[]> {
  const files = await readdir(SOURCES, { recursive: true });
  const sources = files.filter(
    (file) => file.endsWith('.ts') && !/\.(?:test|support|contract)\./u.test(file),
  );
  return Promise.all(
    sources.map(async (file) => ({ file, text: await readFile(path.join(SOURCES, file), 'utf8') })),
  );
}

/** Returns the folder of a file; `undefined` for the main entry point, which is in none. */
function folderOf(file: string): string | undefined {
  return Object.keys(ALLOWED).find((folder) => file.startsWith(`${folder}/`));
}

const sources = await readSources();

describe('the folders of the sources', () => {
  test.each(Object.entries(ALLOWED))('%s imports itself and %j only', (folder, allowed) => {
    const own = sources.filter(({ file }) => folderOf(file) === folder);
    const wrong = own.flatMap(({ file, text }) =>
      [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/gu)]
        .map(([, imported = '']) => path.normalize(path.join(path.dirname(file), imported)))
        .filter((target) => ![folder, ...allowed].includes(folderOf(target) ?? ''))
        .map((target) => `${file} imports ${target}`),
    );
    expect(own.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  test('only era names protocol versions', () => {
    const named = sources
      .filter(({ file }) => folderOf(file) !== 'era')
      .filter(({ text }) => /'20\d\d-\d\d-\d\d'/u.test(text));
    expect(named.map(({ file }) => file)).toEqual([]);
  });
});
