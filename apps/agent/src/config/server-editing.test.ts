import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig, type ConfigFlags, type LoadedConfig } from './load-config.ts';
import { writeServerChanges } from './server-changes.ts';
import { problemOf, sources } from './testing/config-sources.ts';

const TOKEN = { SIGNALBOX_TOKEN: 'the-token' };
const FILES = { command: 'node', args: ['files.js'] };
const FAR = { url: 'https://mcp.example/mcp' };

interface Given {
  readonly stored?: unknown;
  readonly file?: object;
  readonly flags?: ConfigFlags;
  readonly env?: { readonly [name: string]: string };
}

/** Returns sources in which the data directory has a file of changes. */
function given({ stored, file = {}, flags = {}, env = {} }: Given) {
  const text = JSON.stringify({
    data_dir: '/data',
    mcpServers: { files: FILES, far: FAR },
    ...file,
  });
  return {
    ...sources({}, { flags, env }),
    readFile: (path: string) => {
      if (path !== '/data/servers.json') return Promise.resolve(text);
      return stored === undefined
        ? Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' }))
        : Promise.resolve(typeof stored === 'string' ? stored : JSON.stringify(stored));
    },
  };
}

const load = (options: Given): Promise<LoadedConfig> => loadConfig(given(options));
const namesOf = ({ servers }: LoadedConfig): readonly string[] => servers.map(({ name }) => name);

describe('the setting', () => {
  test('is off by default, and the file of changes is not read then', async () => {
    const config = await load({ stored: { mcpServers: { added: FILES }, removed: ['far'] } });
    expect(config.serverEditing).toBeUndefined();
    expect(namesOf(config)).toEqual(['files', 'far']);
    expect(await load({ stored: 'not JSON' })).toMatchObject({ invalidServers: [] });
  });

  test('comes from the option, the environment or the file, in this order', async () => {
    const env = { SIGNALBOX_EDIT_SERVERS: 'all', ...TOKEN };
    const file = { edit_servers: 'remote' };
    expect((await load({ file })).serverEditing).toMatchObject({
      mode: 'remote',
      file: '/data/servers.json',
    });
    expect((await load({ file, env })).serverEditing?.mode).toBe('all');
    expect(
      (await load({ file, env, flags: { editServers: 'off' } })).serverEditing,
    ).toBeUndefined();
  });

  test.each<[Given, string]>([
    [{ flags: { editServers: 'yes' } }, '--edit-servers: must be off, remote or all'],
    [{ env: { SIGNALBOX_EDIT_SERVERS: 'yes' } }, 'SIGNALBOX_EDIT_SERVERS: must be'],
    [{ file: { edit_servers: true } }, 'edit_servers: must be "off", "remote" or "all"'],
    [{ flags: { editServers: 'all' } }, 'set the environment variable SIGNALBOX_TOKEN'],
    [
      { flags: { editServers: 'remote', role: 'worker' } },
      'edit_servers: "remote" is not possible with --role worker',
    ],
    [
      { flags: { editServers: 'all', role: 'api' }, env: TOKEN },
      'edit_servers: "all" is not possible with --role api',
    ],
  ])('%j is refused', async (options, problem) => {
    expect(await problemOf(given(options))).toContain(problem);
  });

  test('all is possible with a token or another API key', async () => {
    const flags = { editServers: 'all' };
    expect((await load({ flags, env: TOKEN })).serverEditing?.mode).toBe('all');
    const file = { api_keys: { ci: { token_variable: 'CI' } } };
    expect((await load({ flags, file, env: { CI: 'c' } })).serverEditing?.mode).toBe('all');
  });
});

describe('the stored changes', () => {
  test('add, replace and remove servers of the configuration', async () => {
    const stored = {
      mcpServers: { added: FAR, files: { command: 'node', args: ['other.js'] } },
      removed: ['far', 'gone'],
    };
    const config = await load({ stored, flags: { editServers: 'all' }, env: TOKEN });
    expect(config.servers).toMatchObject([
      { name: 'added', url: 'https://mcp.example/mcp' },
      { name: 'files', args: ['other.js'] },
    ]);
    expect(config.notices).toContain(
      '/data/servers.json replaces the server files of the configuration',
    );
    expect(config.notices).toContain(
      '/data/servers.json removes the server far of the configuration',
    );
  });

  test('have variables, and one that is missing makes its server invalid', async () => {
    const stored = { mcpServers: { a: { ...FAR, headers: { 'X-Key': '${MY_KEY}' } } } };
    const flags = { editServers: 'remote' };
    const { servers } = await load({ stored, flags, env: { MY_KEY: 'k' } });
    expect(servers.at(-1)).toMatchObject({ name: 'a', headers: { 'X-Key': 'k' }, secrets: ['k'] });
    const { invalidServers = [] } = await load({ stored, flags });
    expect(invalidServers[0]?.problems.join()).toContain('MY_KEY is not set');
  });

  test('that start a command are invalid when only remote servers may be edited', async () => {
    const stored = { mcpServers: { added: FILES } };
    const config = await load({ stored, flags: { editServers: 'remote' } });
    expect(namesOf(config)).toEqual(['files', 'far']);
    expect(config.invalidServers).toMatchObject(
      [
        {
          name: 'added',
          problems: [expect.stringContaining('edit_servers "remote" does not allow')],
        },
      ].map((each) => ({ ...each, problems: expect.arrayContaining(each.problems) as unknown })),
    );
  });

  test('whose names were written by hand are known by the names of their tools', async () => {
    const stored = { mcpServers: { 'Brave Search': FAR } };
    const { serverEditing } = await load({ stored, flags: { editServers: 'remote' } });
    expect([...(serverEditing?.changes.entries.keys() ?? [])]).toEqual(['Brave-Search']);
    expect([...(serverEditing?.stored.keys() ?? [])]).toEqual(['Brave-Search']);
  });

  test.each<[unknown, string]>([
    ['{', '/data/servers.json:1:2: not valid JSON'],
    [[], '/data/servers.json: the file: must be an object'],
    [{ removed: [1] }, 'removed: must be an array of the names of servers'],
    [{ mcpServers: [] }, 'mcpServers: must be an object'],
    [{ port: 1 }, 'port: does not belong here; move it to the configuration file'],
  ])('%j are refused at the start', async (stored, problem) => {
    const flags = { editServers: 'remote' };
    expect(await problemOf(given({ stored, flags }))).toContain(problem);
  });
});

test('a definition is checked with the variables, folder and inputs of the configuration', async () => {
  let questions = 0;
  const input = {
    ...given({
      flags: { editServers: 'all' },
      env: { ...TOKEN, NAME: 'n' },
      file: {
        inputs: [{ id: 'key', password: true }],
        mcpServers: { files: { ...FILES, env: { K: '${input:key}' } } },
      },
    }),
    askInput: () => {
      questions += 1;
      return Promise.resolve('typed');
    },
  };
  const { serverEditing } = await loadConfig(input);
  const definition = { ...FILES, cwd: 'sub', env: { K: '${input:key}', N: '${NAME}' } };
  expect(await serverEditing?.check('s', definition)).toMatchObject({
    entry: definition,
    server: { cwd: '/etc/sub', env: { K: 'typed', N: 'n' }, secrets: ['typed'] },
    problems: [],
  });
  const unknown = { ...FILES, env: { K: '${input:other}' } };
  expect((await serverEditing?.check('s', unknown))?.problems.join()).toContain(
    'mcpServers.s.env.K: the input "other" has no value',
  );
  expect(questions).toBe(1);
});

test('the changes are written for their owner only, and replace the earlier file at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'changes-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'servers.json');
  await writeFile(path, 'before');
  await writeServerChanges(path, { entries: new Map([['a', FAR]]), removed: new Set(['z', 'b']) });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    mcpServers: { a: FAR },
    removed: ['b', 'z'],
  });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const changes = { entries: new Map(), removed: new Set<string>() };
  await writeServerChanges(join(folder, 'new', 'servers.json'), changes);
  expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700);
  await expect(writeServerChanges(join(path, 'servers.json'), changes)).rejects.toMatchObject({
    code: 'EEXIST',
  });
});
