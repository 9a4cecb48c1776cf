import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from './config.ts';
import { loadConfig, type ConfigFlags, type ConfigSources } from './load-config.ts';

function sources(
  file: unknown,
  rest: { readonly flags?: ConfigFlags; readonly env?: ConfigSources['env'] } = {},
): ConfigSources {
  return {
    flags: { config: '/etc/signalbox.json', ...rest.flags },
    env: rest.env ?? {},
    cwd: '/folder',
    homeDir: '/home/ann',
    readFile: () => Promise.resolve(typeof file === 'string' ? file : JSON.stringify(file)),
  };
}

function missing(): Promise<string> {
  return Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
}

async function problemOf(input: ConfigSources): Promise<string> {
  const error = await loadConfig({ ...input, flags: { ...input.flags, isStrict: true } }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).message;
}

describe('cassettes', () => {
  test('a relative file is in the working directory; to replay one needs a provider and no key', async () => {
    const { llm } = await loadConfig(
      sources(
        { llm: { provider: 'anthropic' } },
        { env: { SIGNALBOX_CASSETTE: 'replay:tapes/a.jsonl' } },
      ),
    );
    expect(llm).toMatchObject({
      provider: 'anthropic',
      apiKey: 'none',
      cassette: { mode: 'replay', file: '/folder/tapes/a.jsonl' },
    });
    await expect(
      loadConfig(sources({}, { env: { SIGNALBOX_CASSETTE: 'replay:/a' } })),
    ).rejects.toThrow('set llm.provider, or --provider, to the one it was recorded with');
  });

  test('recording needs a key, and scripts are not recorded', async () => {
    await expect(
      loadConfig(
        sources({ llm: { provider: 'anthropic' } }, { env: { SIGNALBOX_CASSETTE: 'record:/a' } }),
      ),
    ).rejects.toThrow('ANTHROPIC_API_KEY is not set');
    const { llm, notices } = await loadConfig(
      sources({}, { env: { SIGNALBOX_CASSETTE: 'record:/a' } }),
    );
    expect(llm).not.toHaveProperty('cassette');
    expect(notices).toContain('no cassette is recorded: the answers come from scripts');
  });

  test.each(['play:x', 'record:', 'x', 'record'])('%j is refused', async (value) => {
    await expect(loadConfig(sources({}, { env: { SIGNALBOX_CASSETTE: value } }))).rejects.toThrow(
      'SIGNALBOX_CASSETTE: must be "off", "record:FILE" or "replay:FILE"',
    );
  });

  test('the file may name one, in its own folder, and the environment wins', async () => {
    const file = { llm: { provider: 'anthropic', cassette: 'replay:a.jsonl' } };
    expect((await loadConfig(sources(file))).llm.cassette).toEqual({
      mode: 'replay',
      file: '/etc/a.jsonl',
    });
    expect(
      (await loadConfig(sources(file, { env: { SIGNALBOX_CASSETTE: 'replay:b.jsonl' } }))).llm
        .cassette,
    ).toEqual({ mode: 'replay', file: '/folder/b.jsonl' });
    expect(
      (
        await loadConfig(
          sources(file, { env: { SIGNALBOX_CASSETTE: 'off', ANTHROPIC_API_KEY: 'k' } }),
        )
      ).llm,
    ).not.toHaveProperty('cassette');
    await expect(loadConfig(sources({ llm: { cassette: 'loud' } }))).rejects.toThrow(
      'llm.cassette: must be "off", "record:FILE" or "replay:FILE"',
    );
  });

  test('off is off', async () => {
    expect(
      (
        await loadConfig(
          sources(
            { llm: { provider: 'openai' } },
            { env: { SIGNALBOX_CASSETTE: 'off', OPENAI_API_KEY: 'k' } },
          ),
        )
      ).llm,
    ).not.toHaveProperty('cassette');
  });
});

describe('what is read', () => {
  test('an entry as other hosts write it becomes a launch definition with cautious defaults', async () => {
    const config = await loadConfig(
      sources({
        mcpServers: {
          files: {
            command: 'node',
            args: ['bin.js', './docs'],
            type: 'stdio',
            autoApprove: ['x'],
            timeout: 3,
          },
        },
      }),
    );
    expect(config.servers).toEqual([
      {
        name: 'files',
        command: 'node',
        args: ['bin.js', './docs'],
        env: {},
        cwd: undefined,
        trust: false,
        allow: [],
        deny: [],
        roots: [],
        era: 'auto',
        approval: 'default',
        approvals: [],
        sampling: 'ask',
        samplingReview: false,
        secrets: [],
      },
    ]);
    expect(config.notices).toEqual([]);
  });

  test('a disabled entry is left out whatever else it holds', async () => {
    const config = await loadConfig(
      sources({
        mcpServers: {
          'any name': { disabled: true, url: 'https://example.org' },
          on: { command: 'x', disabled: false },
        },
      }),
    );
    expect(config.servers.map((server) => server.name)).toEqual(['on']);
  });

  test('cwd and roots are relative to the folder of the file, arguments stay as they are', async () => {
    const config = await loadConfig(
      sources({
        mcpServers: {
          a: {
            command: './x',
            args: ['./y'],
            cwd: 'sub',
            signalbox: { roots: ['r', '/abs', '~/docs'] },
          },
        },
      }),
    );
    expect(config.servers[0]).toMatchObject({
      command: './x',
      args: ['./y'],
      cwd: '/etc/sub',
      roots: ['/etc/r', '/abs', '/home/ann/docs'],
    });
  });

  test('variables are expanded in command, args, env, cwd and roots', async () => {
    const entry = {
      command: '${BIN}',
      args: ['--key=${API_TOKEN}', '${EMPTY:-fallback}', '$${LITERAL}', '${env:BIN}'],
      env: { K: '${API_TOKEN}' },
      cwd: '${UNSET:-/srv}',
      signalbox: { roots: ['${BIN}'] },
    };
    const config = await loadConfig(
      sources(
        { mcpServers: { a: entry } },
        { env: { BIN: 'tool', API_TOKEN: 's3cret', EMPTY: '' } },
      ),
    );
    expect(config.servers[0]).toMatchObject({
      command: 'tool',
      args: ['--key=s3cret', 'fallback', '${LITERAL}', 'tool'],
      env: { K: 's3cret' },
      cwd: '/srv',
      roots: ['/etc/tool'],
      secrets: ['s3cret'],
    });
  });

  test('a default that stands in for a secret, and addresses with passwords, are secrets too', async () => {
    const args = ['${API_TOKEN:-built-in}', '${DATABASE_URL}', '${DB_PASS}', '${HOME}'];
    const config = await loadConfig(
      sources(
        { mcpServers: { a: { command: 'x', args } } },
        { env: { DATABASE_URL: 'postgres://me:hush@db', DB_PASS: 'hush', HOME: '/home/me' } },
      ),
    );
    expect(config.servers[0]?.secrets).toEqual(['built-in', 'postgres://me:hush@db', 'hush']);
  });

  test('fields of an entry that are not read are named with what to use', async () => {
    const config = await loadConfig(
      sources({
        mcpServers: {
          a: { command: 'x', trust: true, arg: ['y'], excludeTools: ['z'], zzzzzzzzzz: 1 },
        },
      }),
    );
    expect(config.notices).toEqual([
      '/etc/signalbox.json: mcpServers.a.trust is not read; use "signalbox.trust"',
      '/etc/signalbox.json: mcpServers.a.arg is not read; use "args"',
      '/etc/signalbox.json: mcpServers.a.excludeTools is not read; use "signalbox.deny"',
      '/etc/signalbox.json: mcpServers.a.zzzzzzzzzz is not read',
    ]);
  });

  test('a server with an address is reached there, variables expanded, and a password in it becomes a header', async () => {
    const entries = {
      a: {
        type: 'http',
        url: 'https://${HOST}/mcp',
        headers: { Authorization: 'Bearer ${TOKEN}' },
        args: [],
        env: {},
      },
      b: { type: 'sse', url: 'http://me:${PASS}@host/sse' },
      c: { url: 'http://host/mcp?key=k', signalbox: { era: 'modern', trust: true } },
    };
    const config = await loadConfig(
      sources(
        { mcpServers: entries },
        { env: { HOST: 'example.org', TOKEN: 'tok-en', PASS: 'p%40ss' } },
      ),
    );
    expect(config.servers).toMatchObject([
      {
        name: 'a',
        transport: 'http',
        url: 'https://example.org/mcp',
        headers: { Authorization: 'Bearer tok-en' },
        era: 'auto',
        secrets: ['tok-en'],
      },
      {
        name: 'b',
        transport: 'sse',
        url: 'http://host/sse',
        headers: { Authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` },
        era: 'legacy',
      },
      {
        name: 'c',
        transport: 'auto',
        url: 'http://host/mcp?key=k',
        headers: {},
        era: 'modern',
        trust: true,
      },
    ]);
    expect(config.servers[1]?.secrets).toEqual(expect.arrayContaining(['p%40ss', 'p@ss']));
    expect(config.servers[0]).not.toHaveProperty('command');
  });

  test('headers that can be read on the way are told of', async () => {
    const entry = (url: string): object => ({ url, headers: { A: 'b' } });
    const config = await loadConfig(
      sources({
        mcpServers: {
          open: entry('http://example.org'),
          tls: entry('https://example.org'),
          here: entry('http://localhost:1'),
          six: entry('http://[::1]:1'),
          plain: { url: 'http://example.org' },
        },
      }),
    );
    expect(config.notices).toEqual([
      'mcpServers.open.url: the headers are sent without encryption; use https',
    ]);
  });

  test('a byte order mark is not a syntax error', async () => {
    expect((await loadConfig(sources('\uFEFF{"port": 1}'))).port).toBe(1);
  });
});

describe('where it is read from', () => {
  test.each([
    ['the home directory', {}, '/home/ann/.config/signalbox/signalbox.json'],
    ['XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/signalbox/signalbox.json'],
    [
      'the home directory when XDG_CONFIG_HOME is relative',
      { XDG_CONFIG_HOME: 'xdg' },
      '/home/ann/.config/signalbox/signalbox.json',
    ],
  ])('the file without --config lies below %s', async (_title, env, expected) => {
    const asked: string[] = [];
    const readFile = (path: string): Promise<string> => (asked.push(path), missing());
    const config = await loadConfig({
      flags: {},
      env,
      cwd: '/folder',
      homeDir: '/home/ann',
      readFile,
    });
    expect(asked).toEqual([expected]);
    expect(config).toMatchObject({
      file: undefined,
      servers: [],
      host: '127.0.0.1',
      port: 8020,
      dataDir: '/folder/.signalbox',
      logLevel: 'info',
      durability: 'process',
    });
  });

  test('a signalbox.json of the working directory is not read', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'signalbox-config-'));
    await writeFile(join(cwd, 'signalbox.json'), '{"port": 1}');
    expect((await loadConfig({ flags: {}, env: {}, cwd, homeDir: join(cwd, 'home') })).port).toBe(
      8020,
    );
    expect(
      (
        await loadConfig({
          flags: { config: 'signalbox.json' },
          env: {},
          cwd,
          homeDir: join(cwd, 'home'),
        })
      ).port,
    ).toBe(1);
  });

  test('a named file that does not exist is an error, and one that cannot be read says so', async () => {
    expect(await problemOf({ ...sources(''), readFile: missing })).toBe(
      '/etc/signalbox.json: the configuration file does not exist; check --config',
    );
    const refused = (): Promise<string> =>
      Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }));
    expect(await problemOf({ ...sources(''), flags: {}, readFile: refused })).toBe(
      '/home/ann/.config/signalbox/signalbox.json: the configuration file cannot be read (EACCES)',
    );
  });
});

describe('what wins', () => {
  const file = {
    host: 'localhost',
    port: 1,
    data_dir: 'data',
    log_level: 'warn',
    log_format: 'json',
    durability: 'power',
  };

  test('the file wins over the defaults, and its paths are relative to it', async () => {
    expect(await loadConfig(sources(file))).toMatchObject({
      host: 'localhost',
      port: 1,
      dataDir: '/etc/data',
      logLevel: 'warn',
      logFormat: 'json',
      durability: 'power',
    });
  });

  test('the environment wins over the file', async () => {
    const env = {
      SIGNALBOX_HOST: '127.0.0.2',
      SIGNALBOX_PORT: '0',
      SIGNALBOX_DATA_DIR: 'there',
      SIGNALBOX_LOG_LEVEL: 'debug',
      SIGNALBOX_LOG_FORMAT: 'text',
      SIGNALBOX_TOKEN: 't',
    };
    expect(await loadConfig(sources(file, { env }))).toMatchObject({
      host: '127.0.0.2',
      port: 0,
      dataDir: '/folder/there',
      logLevel: 'debug',
      logFormat: 'text',
      token: 't',
    });
  });

  test('flags win over everything', async () => {
    const env = {
      SIGNALBOX_HOST: '127.0.0.2',
      SIGNALBOX_PORT: '0',
      SIGNALBOX_DATA_DIR: 'there',
      SIGNALBOX_LOG_LEVEL: 'debug',
      SIGNALBOX_LOG_FORMAT: 'json',
    };
    const flags = {
      host: '::1',
      port: '99',
      dataDir: '/d',
      logLevel: 'error',
      logFormat: 'text',
      durability: 'process',
    };
    expect(await loadConfig(sources(file, { env, flags }))).toMatchObject({
      host: '::1',
      port: 99,
      dataDir: '/d',
      logLevel: 'error',
      logFormat: 'text',
      durability: 'process',
    });
  });

  test('blank variables count as unset', async () => {
    expect(
      (
        await loadConfig(
          sources(file, { env: { SIGNALBOX_HOST: '', SIGNALBOX_PORT: ' ', OPENAI_API_KEY: '' } }),
        )
      ).llm.provider,
    ).toBe('scripted');
  });
});

describe('the model', () => {
  test.each<[string, { llm?: object; env?: ConfigSources['env']; flags?: ConfigFlags }, object]>([
    ['no key: scripted', {}, { provider: 'scripted', apiKey: undefined, baseUrl: undefined }],
    [
      'OPENAI_API_KEY',
      { env: { OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'http://x/v1', SIGNALBOX_MODEL: 'm' } },
      { provider: 'openai', apiKey: 'o', baseUrl: 'http://x/v1', model: 'm' },
    ],
    [
      'ANTHROPIC_API_KEY',
      { env: { ANTHROPIC_API_KEY: 'a', ANTHROPIC_BASE_URL: 'http://y' } },
      { provider: 'anthropic', apiKey: 'a', baseUrl: 'http://y' },
    ],
    [
      'both keys',
      { env: { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' } },
      { provider: 'openai', apiKey: 'o' },
    ],
    [
      'configured over keys',
      {
        llm: { provider: 'anthropic', model: 'c' },
        env: { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' },
      },
      { provider: 'anthropic', apiKey: 'a', model: 'c' },
    ],
    [
      'scripted over keys',
      { llm: { provider: 'scripted' }, env: { OPENAI_API_KEY: 'o' } },
      { provider: 'scripted', apiKey: undefined },
    ],
    [
      'a scenario over keys',
      { flags: { scenario: 's.json' }, env: { OPENAI_API_KEY: 'o' } },
      { provider: 'scripted', scenario: '/folder/s.json' },
    ],
    [
      'a scenario of the file',
      { llm: { scenario: 's.json' } },
      { provider: 'scripted', scenario: '/etc/s.json' },
    ],
    [
      'a server of one’s own needs no key',
      { llm: { provider: 'openai', base_url: 'http://127.0.0.1:1/v1' } },
      { provider: 'openai', apiKey: undefined, baseUrl: 'http://127.0.0.1:1/v1' },
    ],
    [
      'a flag does not take another provider’s model and address',
      {
        llm: { provider: 'anthropic', model: 'c', base_url: 'http://y' },
        flags: { provider: 'openai' },
        env: { OPENAI_API_KEY: 'o' },
      },
      { provider: 'openai', model: undefined, baseUrl: undefined },
    ],
  ])('%s', async (_title, { llm, env, flags }, expected) => {
    expect(
      (
        await loadConfig(
          sources(llm === undefined ? {} : { llm }, { env: env ?? {}, flags: flags ?? {} }),
        )
      ).llm,
    ).toMatchObject(expected);
  });

  test('two keys and no choice is worth a notice', async () => {
    const config = await loadConfig(
      sources({}, { env: { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' } }),
    );
    expect(config.notices).toEqual([
      'OPENAI_API_KEY and ANTHROPIC_API_KEY are both set; OpenAI is used. Set llm.provider in signalbox.json to choose',
    ]);
  });

  test('an address or a model that waits for a key is worth a notice', async () => {
    const notices = async (env: Record<string, string>, flags = {}) =>
      (await loadConfig(sources({}, { env, flags }))).notices;
    expect(await notices({ ANTHROPIC_BASE_URL: 'http://y' })).toEqual([
      'ANTHROPIC_BASE_URL is not used: ANTHROPIC_API_KEY is not set; any text will do for a server that needs no key',
    ]);
    expect(await notices({ SIGNALBOX_MODEL: 'm' })).toEqual([
      'the model "m" is not used: neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set',
    ]);
    expect(
      await notices(
        { SIGNALBOX_MODEL: 'm', OPENAI_BASE_URL: 'http://y' },
        { provider: 'scripted' },
      ),
    ).toEqual([]);
    expect(await notices({ OPENAI_BASE_URL: 'http://y' }, { scenario: 's.json' })).toEqual([]);
    expect(await notices({ OPENAI_BASE_URL: 'http://y', OPENAI_API_KEY: 'o' })).toEqual([]);
    expect(await notices({})).toEqual([]);
  });

  test('a scenario beside another provider is worth a notice', async () => {
    const config = await loadConfig(
      sources({ llm: { provider: 'openai', scenario: 's' } }, { env: { OPENAI_API_KEY: 'o' } }),
    );
    expect(config.notices).toEqual([
      'the scenario is not used: the provider is "openai"; scenarios are for the provider "scripted"',
    ]);
  });
});

describe('problems name the place and the remedy', () => {
  test.each<[string, unknown, string]>([
    [
      'empty file',
      '',
      '/etc/signalbox.json:1:1: not valid JSON: the text ends where a value is expected',
    ],
    [
      'two commas',
      '{\n  "port": 1,,\n}',
      '/etc/signalbox.json:2:13: not valid JSON: a name in double quotes is expected',
    ],
    [
      'a problem after a comment',
      '{\n  // port\n  "port": 1 2}',
      '/etc/signalbox.json:3:13: not valid JSON: "," or "}" is expected',
    ],
    [
      'missing comma',
      '{"a": 1 "b": 2}',
      '/etc/signalbox.json:1:9: not valid JSON: "," or "}" is expected',
    ],
    [
      'text after the end',
      '{} {}',
      '/etc/signalbox.json:1:4: not valid JSON: there is more text after the end of the JSON value',
    ],
    [
      'a name twice',
      '{"mcpServers": {\n "a": {"command": "x"},\n "a": {"command": "y"}}}',
      '/etc/signalbox.json:3:2: not valid JSON: the name "a" is given twice in the same object',
    ],
    [
      'deep nesting',
      '['.repeat(200),
      '/etc/signalbox.json:1:102: not valid JSON: nested deeper than 100',
    ],
    ['not an object', [], '/etc/signalbox.json: the file: must be an object'],
    [
      'unknown field, close',
      { mcpServer: {} },
      '/etc/signalbox.json: mcpServer: unknown; did you mean "mcpServers"?',
    ],
    [
      'unknown policy field, nothing close',
      { mcpServers: { a: { command: 'x', signalbox: { zzzzzzzzz: true } } } },
      '/etc/signalbox.json: mcpServers.a.signalbox.zzzzzzzzz: unknown; known are trust, allow, deny, roots, era, approval, approvals, sampling, connections, connectMs, samplingReview, maxMessageBytes',
    ],
    [
      'unknown policy field',
      { mcpServers: { a: { command: 'x', signalbox: { trusted: true } } } },
      '/etc/signalbox.json: mcpServers.a.signalbox.trusted: unknown; did you mean "trust"?',
    ],
    [
      'unknown model field',
      { llm: { modle: 'x' } },
      '/etc/signalbox.json: llm.modle: unknown; did you mean "model"?',
    ],
    [
      'token in the file',
      { token: 'hush' },
      '/etc/signalbox.json: token: not allowed here: the token is read from the environment variable SIGNALBOX_TOKEN only',
    ],
    [
      'key in the file',
      { llm: { api_key: 'hush' } },
      '/etc/signalbox.json: llm.api_key: not allowed here: keys are read from the environment variables OPENAI_API_KEY and ANTHROPIC_API_KEY only',
    ],
    [
      'empty command',
      { mcpServers: { a: { command: '' } } },
      '/etc/signalbox.json: mcpServers.a.command: must not be empty',
    ],
    [
      'command is a list',
      { mcpServers: { a: { command: ['x'] } } },
      '/etc/signalbox.json: mcpServers.a.command: must be a string',
    ],
    [
      'an argument is a number',
      { mcpServers: { a: { command: 'x', args: ['y', 1] } } },
      '/etc/signalbox.json: mcpServers.a.args[1]: must be a string',
    ],
    [
      'an env value is a number',
      { mcpServers: { a: { command: 'x', env: { PORT: 1 } } } },
      '/etc/signalbox.json: mcpServers.a.env.PORT: must be a string',
    ],
    [
      'wrong choice',
      { mcpServers: { a: { command: 'x', signalbox: { sampling: 'always' } } } },
      '/etc/signalbox.json: mcpServers.a.signalbox.sampling: must be "auto", "ask" or "deny"',
    ],
    ['port too big', { port: 70_000 }, '/etc/signalbox.json: port: must be at most 65535'],
    ['port with a fraction', { port: 1.5 }, '/etc/signalbox.json: port: must be a whole number'],
    [
      'address of the model with a password',
      { llm: { provider: 'openai', base_url: 'http://me:hush@x/v1' } },
      '/etc/signalbox.json: llm.base_url: must not hold a user name, password, query or fragment',
    ],
    [
      'address of the model',
      { llm: { provider: 'openai', base_url: 'ftp://x' } },
      '/etc/signalbox.json: llm.base_url: must be an http or https URL',
    ],
    [
      'a command and an address',
      { mcpServers: { a: { command: 'x', url: 'http://x' } } },
      '/etc/signalbox.json: mcpServers.a: has "command" and "url"; a server is either started or reached at an address, so remove one of them',
    ],
    [
      'neither command nor address',
      { mcpServers: { a: {} } },
      '/etc/signalbox.json: mcpServers.a: has neither "command", which starts a server, nor "url", at which one is reached',
    ],
    [
      'a type without its address',
      { mcpServers: { a: { type: 'http', command: 'x' } } },
      '/etc/signalbox.json: mcpServers.a.url: is missing; a server of type "http" is reached at an address',
    ],
    [
      'stdio with an address',
      { mcpServers: { a: { type: 'stdio', url: 'http://x' } } },
      '/etc/signalbox.json: mcpServers.a.type: is "stdio", but the server has a "url"; write "http" or "sse", or leave it out',
    ],
    [
      'an unknown type',
      { mcpServers: { a: { type: 'smoke', url: 'http://x' } } },
      '/etc/signalbox.json: mcpServers.a.type: must be "stdio", "http" or "sse"',
    ],
    [
      'WebSocket',
      { mcpServers: { a: { type: 'ws', url: 'ws://x' } } },
      '/etc/signalbox.json: mcpServers.a.type: servers are reached by "http" and "sse", not by WebSocket; remove the entry or set "disabled": true',
    ],
    [
      'an environment for an address',
      { mcpServers: { a: { url: 'http://x', env: { K: 'v' } } } },
      '/etc/signalbox.json: mcpServers.a.env: is for a server with "command"; what one with "url" needs to know goes in "headers"',
    ],
    [
      'headers for a command',
      { mcpServers: { a: { command: 'x', headers: { K: 'v' } } } },
      '/etc/signalbox.json: mcpServers.a.headers: are for a server with "url"; one that is started gets its secrets in "env"',
    ],
    [
      'a modern server over the old transport',
      { mcpServers: { a: { type: 'sse', url: 'http://x', signalbox: { era: 'modern' } } } },
      '/etc/signalbox.json: mcpServers.a.signalbox.era: is "modern", but the transport "sse" exists in the legacy era only',
    ],
    [
      'an address of another kind',
      { mcpServers: { a: { url: 'ftp://hush@x' } } },
      '/etc/signalbox.json: mcpServers.a.url: must be an http or https URL',
    ],
    [
      'two authorizations',
      { mcpServers: { a: { url: 'http://me:hush@x', headers: { authorization: 'hush' } } } },
      '/etc/signalbox.json: mcpServers.a.url: holds a user name or password beside the header Authorization; remove one of them',
    ],
    [
      'a header without a name',
      { mcpServers: { a: { url: 'http://x', headers: { 'a b': 'hush' } } } },
      '/etc/signalbox.json: mcpServers.a.headers: "a b" is not the name of an HTTP header',
    ],
    [
      'a header of two lines',
      { mcpServers: { a: { url: 'http://x', headers: { A: 'hush\r\nB: c' } } } },
      '/etc/signalbox.json: mcpServers.a.headers: the value of A has characters that no HTTP header may have',
    ],
    [
      'a header of the protocol',
      { mcpServers: { a: { url: 'http://x', headers: { 'Mcp-Session-Id': 'hush' } } } },
      '/etc/signalbox.json: mcpServers.a.headers: Mcp-Session-Id is set by the protocol and cannot be configured',
    ],
    [
      'an unset variable in a header',
      { mcpServers: { a: { url: 'http://x', headers: { A: '${NOPE}' } } } },
      '/etc/signalbox.json: mcpServers.a.headers.A: the environment variable NOPE is not set; set it, or write ${NOPE:-default}',
    ],
    [
      'unset variable',
      { mcpServers: { a: { command: 'x', env: { K: '${NOPE}' } } } },
      '/etc/signalbox.json: mcpServers.a.env.K: the environment variable NOPE is not set; set it, or write ${NOPE:-default}',
    ],
    [
      'unknown form of a variable',
      { mcpServers: { a: { command: 'x', args: ['${command:key}'] } } },
      '/etc/signalbox.json: mcpServers.a.args[0]: ${command:key} cannot be expanded; write ${NAME} or ${NAME:-default}, or $${ for a literal ${',
    ],
    [
      'several settings',
      { port: -1, log_level: 'loud' },
      '/etc/signalbox.json:\n  - port: must be at least 0\n  - log_level: must be "debug", "info", "warn" or "error"',
    ],
    [
      'several servers',
      { mcpServers: { a: { command: 1 }, b: { command: 'x', args: ['${NOPE}'] } } },
      '/etc/signalbox.json:\n  - mcpServers.a.command: must be a string\n  - mcpServers.b.args[0]: the environment variable NOPE is not set; set it, or write ${NOPE:-default}',
    ],
    [
      'a setting beside a server',
      { port: -1, mcpServers: { a: { command: 1 } } },
      '/etc/signalbox.json: port: must be at least 0',
    ],
  ])('%s', async (_title, file, expected) => {
    expect(await problemOf(sources(file))).toBe(expected);
  });

  test.each<[string, { flags?: ConfigFlags; env?: ConfigSources['env']; file?: object }, string]>([
    [
      'port variable',
      { env: { SIGNALBOX_PORT: '80a' } },
      'SIGNALBOX_PORT: must be a whole number from 0 to 65535 (0 takes a free port)',
    ],
    [
      'port flag',
      { flags: { port: '65536' } },
      '--port: must be a whole number from 0 to 65535 (0 takes a free port)',
    ],
    [
      'log level',
      { env: { SIGNALBOX_LOG_LEVEL: 'loud' } },
      'SIGNALBOX_LOG_LEVEL: must be debug, info, warn or error',
    ],
    ['durability', { flags: { durability: 'paper' } }, '--durability: must be process or power'],
    [
      'provider',
      { flags: { provider: 'hush' } },
      '--provider: must be openai, anthropic or scripted',
    ],
    [
      'base URL flag',
      { flags: { provider: 'openai', baseUrl: 'hush' } },
      '--base-url: must be an http or https URL',
    ],
    [
      'base URL flag with a key',
      { flags: { provider: 'openai', baseUrl: 'http://x/v1?key=hush' } },
      '--base-url: must not hold a user name, password, query or fragment',
    ],
    [
      'base URL variable with a password',
      { env: { OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'https://me:hush@x/v1' } },
      'the environment variable OPENAI_BASE_URL: must not hold a user name, password, query or fragment',
    ],
    [
      'base URL variable',
      { env: { OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'hush' } },
      'the environment variable OPENAI_BASE_URL: must be an http or https URL',
    ],
    [
      'provider without its key',
      { file: { llm: { provider: 'anthropic' } }, env: { OPENAI_API_KEY: 'hush' } },
      'the provider "anthropic" is configured, but ANTHROPIC_API_KEY is not set; set it, or give the base URL of a server that needs no key',
    ],
    [
      'base URL without a provider',
      { file: { llm: { base_url: 'http://x' } } },
      'a base URL is configured without a provider: set llm.wire to "chat", "responses" or "messages", the API that the server speaks, or llm.provider to "openai" or "anthropic"',
    ],
    [
      'open host without a token',
      { flags: { host: '0.0.0.0' } },
      'the host 0.0.0.0 can be reached from other machines: set the environment variable SIGNALBOX_TOKEN to a secret that clients must send, or use the host 127.0.0.1',
    ],
  ])('%s', async (_title, { flags, env, file }, expected) => {
    expect(await problemOf(sources(file ?? {}, { flags: flags ?? {}, env: env ?? {} }))).toBe(
      expected,
    );
  });

  test('an open host with a token is allowed', async () => {
    expect(
      (await loadConfig(sources({ host: '0.0.0.0' }, { env: { SIGNALBOX_TOKEN: 't' } }))).host,
    ).toBe('0.0.0.0');
  });

  test('no message quotes a value that may be a secret', async () => {
    const file = '{"mcpServers": {"a": {"command": "x", "env": {"KEY": "hush" "B": 1}}}}';
    expect(await problemOf(sources(file))).not.toContain('hush');
    expect(
      await problemOf(
        sources({ llm: { provider: 'hush', model: 7 } }, { env: { OPENAI_API_KEY: 'hush' } }),
      ),
    ).not.toContain('hush');
  });
});
