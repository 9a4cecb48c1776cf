import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hostConfig } from './print-config.ts';

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly url?: string;
  readonly env?: { readonly [name: string]: string };
}

const entryOf = (text: string): Entry | undefined =>
  (JSON.parse(text) as { readonly mcpServers: { readonly [name: string]: Entry } }).mcpServers[
    'kit'
  ];
const base = {
  name: 'kit',
  command: ['/node', '/bin.js'],
  env: {},
  http: undefined,
  auth: undefined,
} as const;

async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'server-kit-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('paths that exist are absolute, as a host starts the server in another folder', async () => {
  const folder = relative(process.cwd(), await temporaryFolder());
  const args = [folder, '--db-path', folder, 'no-such-file'];
  expect(
    entryOf(hostConfig({ ...base, args, positionals: [folder, 'no-such-file'] }))?.args,
  ).toEqual([
    '/bin.js',
    expect.stringMatching(/^\//),
    '--db-path',
    expect.stringMatching(/^\//),
    'no-such-file',
  ]);
  expect(
    entryOf(hostConfig({ ...base, args: ['--units', folder], positionals: [] }))?.args,
  ).toEqual(['/bin.js', '--units', folder]);
});

test('paths of options are absolute also when the server will create the file', () => {
  const args = ['--db-path', 'new.db', '--db', 'shop=data/shop=1.db', '--db', 'no-name'];
  expect(entryOf(hostConfig({ ...base, args, positionals: [] }))?.args).toEqual([
    '/bin.js',
    '--db-path',
    join(process.cwd(), 'new.db'),
    '--db',
    `shop=${join(process.cwd(), 'data/shop=1.db')}`,
    '--db',
    'no-name',
  ]);
});

test('paths are absolute also in one argument with their option, and in variables', () => {
  const args = ['--db-path=new.db', '--db=shop=data/shop=1.db', '--units=dir', '--a-path='];
  const env = {
    MCP_KIT_DB_PATH: 'a.db',
    MCP_KIT_DATA_DIR: 'data',
    MCP_KIT_DB: 'shop=b.db;old=/c.db\nno-name',
    MCP_KIT_UNITS: 'metric',
  };
  const entry = entryOf(hostConfig({ ...base, args, env, positionals: [] }));
  expect(entry?.args).toEqual([
    '/bin.js',
    `--db-path=${join(process.cwd(), 'new.db')}`,
    `--db=shop=${join(process.cwd(), 'data/shop=1.db')}`,
    '--units=dir',
    '--a-path=',
  ]);
  expect(entry?.env).toEqual({
    MCP_KIT_DB_PATH: join(process.cwd(), 'a.db'),
    MCP_KIT_DATA_DIR: join(process.cwd(), 'data'),
    MCP_KIT_DB: `shop=${join(process.cwd(), 'b.db')};old=/c.db\nno-name`,
    MCP_KIT_UNITS: 'metric',
  });
});

test('a server that npx installed for one run is started by npx again', async () => {
  const folder = join(await temporaryFolder(), '_npx', 'a1b2', 'node_modules', 'kit');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'package.json'),
    '{ "name": "@acme/server-kit", "version": "1.2.3" }',
  );
  await writeFile(join(folder, 'bin.js'), '');
  expect(
    entryOf(
      hostConfig({
        ...base,
        command: ['/node', join(folder, 'bin.js')],
        args: ['--units', 'metric'],
        positionals: [],
      }),
    ),
  ).toEqual({
    command: 'npx',
    args: ['-y', '@acme/server-kit@1.2.3', '--units', 'metric'],
  });
});

test.each([
  ['0.0.0.0:3000', 'http://127.0.0.1:3000/mcp'],
  ['[::]:3000', 'http://127.0.0.1:3000/mcp'],
  ['192.168.1.2:3000', 'http://192.168.1.2:3000/mcp'],
])('a server that listens on %s is reached at %s', (http, url) => {
  expect(entryOf(hostConfig({ ...base, args: [], positionals: [], http }))?.url).toBe(url);
});

test('a protected server is reached at its public URL, and the host logs in by itself', () => {
  const auth = {
    issuer: 'https://login.example',
    audience: 'https://kit.example/mcp',
    resource: 'https://kit.example/mcp',
    scopes: [],
    clientId: undefined,
    networks: undefined,
  };
  const input = { ...base, args: [], positionals: [], http: '0.0.0.0:3000', auth };
  expect(entryOf(hostConfig(input))).toEqual({ type: 'http', url: 'https://kit.example/mcp' });
});
