import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, type ConfigFlags, type ConfigSources } from './load-config.ts';
import { sources, missing, problemOf } from './testing/config-sources.ts';

describe('cassettes', () => {
  test('a relative path starts at the working directory; replay needs a provider but no key', async () => {
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

  test('the configuration file may name a cassette relative to its own folder, and the environment wins', async () => {
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

describe('entries of servers', () => {
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

  test('a disabled entry is left out, even if it is otherwise invalid', async () => {
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

  test('defaults of secret variables, and URLs with passwords, are secrets too', async () => {
    const args = ['${API_TOKEN:-built-in}', '${DATABASE_URL}', '${DB_PASS}', '${HOME}'];
    const config = await loadConfig(
      sources(
        { mcpServers: { a: { command: 'x', args } } },
        { env: { DATABASE_URL: 'postgres://me:hush@db', DB_PASS: 'hush', HOME: '/home/me' } },
      ),
    );
    expect(config.servers[0]?.secrets).toEqual(['built-in', 'postgres://me:hush@db', 'hush']);
  });

  test('unsupported fields of an entry are reported with their replacement', async () => {
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

  test('variables in a server URL are expanded, and a password in the URL becomes a header', async () => {
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

  test('a warning reports headers that are sent unencrypted', async () => {
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

describe('the location of the configuration file', () => {
  test.each([
    ['the home directory', {}, '/home/ann/.config/signalbox/signalbox.json'],
    ['XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/signalbox/signalbox.json'],
    [
      'the home directory when XDG_CONFIG_HOME is relative',
      { XDG_CONFIG_HOME: 'xdg' },
      '/home/ann/.config/signalbox/signalbox.json',
    ],
  ])('without --config the file is read from below %s', async (_title, env, expected) => {
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

  test('a named file that does not exist, or cannot be read, is an error', async () => {
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

describe('precedence', () => {
  const file = {
    host: 'localhost',
    port: 1,
    data_dir: 'data',
    log_level: 'warn',
    log_format: 'json',
    durability: 'power',
  };

  test('the file wins over the defaults, and its relative paths start at its folder', async () => {
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
      apiKeys: [{ name: 'default', token: 't' }],
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

  test('the role comes from its flag or variable, and only a worker with --port has probes', async () => {
    const load = async (flags: ConfigFlags, role = ''): Promise<unknown> => {
      const env = { SIGNALBOX_ROLE: role, SIGNALBOX_PORT: '7' };
      const { role: chosen, port, probePort } = await loadConfig(sources(file, { flags, env }));
      return [chosen, port, probePort];
    };
    expect(await load({})).toEqual(['all', 7, undefined]);
    expect(await load({}, 'worker')).toEqual(['worker', 7, undefined]);
    expect(await load({ port: '9' }, 'worker')).toEqual(['worker', 9, 9]);
    expect(await load({ role: 'api' }, 'worker')).toEqual(['api', 7, undefined]);
    await expect(load({ role: 'both' })).rejects.toThrow(/--role.*all, api.*worker/);
  });

  test('the database is PostgreSQL with DATABASE_URL, else SQLite in the data directory', async () => {
    const database = async (url: string, limits?: object): Promise<unknown> =>
      (await loadConfig(sources({ database: limits }, { env: { DATABASE_URL: url } }))).database;
    const url = 'postgres://ada:secret@db:5432/runs?sslmode=require';
    expect(await database('', { connections: 5 })).toBeUndefined();
    expect(await database(url)).toEqual({ url });
    expect(await database(url, { connections: 5, statement_timeout_ms: 9000 })).toEqual({
      url,
      connections: 5,
      statementTimeoutMs: 9000,
    });
    for (const wrong of ['mysql://ada:secret@db/runs', 'postgres://ada:secret@db:x/runs'])
      await expect(database(wrong)).rejects.toThrow(
        /^DATABASE_URL: must be the address of a PostgreSQL database, such as (?!.*secret)/,
      );
    await expect(database(url, { connections: 1 })).rejects.toThrow('database.connections');
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

  test('two keys without a chosen provider cause a notice', async () => {
    const config = await loadConfig(
      sources({}, { env: { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' } }),
    );
    expect(config.notices).toEqual([
      'OPENAI_API_KEY and ANTHROPIC_API_KEY are both set; OpenAI is the default. Set llm.provider in signalbox.json to choose',
    ]);
  });

  test('a base URL or a model without a key causes a notice', async () => {
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

  test('a scenario beside a provider other than scripted causes a notice', async () => {
    const config = await loadConfig(
      sources({ llm: { provider: 'openai', scenario: 's' } }, { env: { OPENAI_API_KEY: 'o' } }),
    );
    expect(config.notices).toEqual([
      'the scenario is not used: the provider is "openai"; scenarios are for the provider "scripted"',
    ]);
  });
});

test('limits of streams and bodies come from the file', async () => {
  expect(
    await loadConfig(
      sources({ max_streams: 10, max_streams_per_run: 3, max_pending_body_bytes: 2 ** 20 }),
    ),
  ).toMatchObject({ maxStreams: 10, maxStreamsPerRun: 3, maxPendingBodyBytes: 2 ** 20 });
  await expect(loadConfig(sources({ max_pending_body_bytes: 1000 }))).rejects.toThrow(
    'max_pending_body_bytes',
  );
});

test('allowed origins come from the file, without a path and in the spelling of browsers', async () => {
  const allowed = ['https://console.example.com', 'http://localhost:5173'];
  expect((await loadConfig(sources({ allowed_origins: allowed }))).allowedOrigins).toEqual(allowed);
  expect((await loadConfig(sources({}))).allowedOrigins).toBeUndefined();
  for (const origin of ['*', 'https://a.example/', 'https://A.example', 'https://a:443', 'null'])
    await expect(loadConfig(sources({ allowed_origins: [origin] })), origin).rejects.toThrow(
      'allowed_origins[0]: must be an origin, such as https://console.example.com, without a path',
    );
});

test('limits of concurrent calls come from the file; those left out are not set', async () => {
  expect(
    (await loadConfig(sources({ concurrency: { model_calls: 4, tool_calls_per_server: 2 } })))
      .concurrency,
  ).toEqual({ modelCalls: 4, callsPerServer: 2 });
  expect(
    (await loadConfig(sources({ concurrency: { tool_calls: 9, waiting_calls: 1 } }))).concurrency,
  ).toEqual({ toolCalls: 9, heldCalls: 1 });
  expect(await loadConfig(sources({}))).not.toHaveProperty('concurrency');
  await expect(loadConfig(sources({ concurrency: { model_calls: 0 } }))).rejects.toThrow(
    'concurrency.model_calls: must be at least 1',
  );
  await expect(loadConfig(sources({ concurrency: { tool_call: 5 } }))).rejects.toThrow(
    'concurrency.tool_call: unknown; did you mean "tool_calls"?',
  );
});

test('retention_days applies to every status of an ended run, or to those that it names', async () => {
  expect((await loadConfig(sources({ retention_days: 30 }))).retentionDays).toEqual({
    completed: 30,
    failed: 30,
    cancelled: 30,
    expired: 30,
  });
  expect((await loadConfig(sources({ retention_days: { failed: 7 } }))).retentionDays).toEqual({
    failed: 7,
  });
  expect(await loadConfig(sources({}))).not.toHaveProperty('retentionDays');
  await expect(loadConfig(sources({ retention_days: { running: 7 } }))).rejects.toThrow(
    'retention_days',
  );
  await expect(loadConfig(sources({ retention_days: 0 }))).rejects.toThrow('retention_days');
});

test('webhooks may reach the named networks, and their deliveries are kept for the named days', async () => {
  const webhooks = {
    allowed_networks: ['127.0.0.1', '10.1.0.0/16', 'fd00::/8'],
    retention_days: 3,
  };
  expect((await loadConfig(sources({ webhooks }))).webhooks).toEqual({
    allowedNetworks: webhooks.allowed_networks,
    retentionDays: 3,
  });
  for (const network of ['10.0.0.0/33', 'fd00::/129', 'example.com', '10.0.0.0/', ''])
    await expect(
      loadConfig(sources({ webhooks: { allowed_networks: [network] } })),
    ).rejects.toThrow('webhooks.allowed_networks[0]: must be a network such as');
  await expect(loadConfig(sources({ webhooks: { retention_days: 366 } }))).rejects.toThrow(
    'webhooks.retention_days',
  );
});
