import { describe, expect, test } from 'vitest';
import { loadConfig, type ConfigSources, type LoadedConfig } from './load-config.ts';
import { safeServerNames, SERVER_NAME } from './server-name.ts';

type Rest = Partial<Omit<ConfigSources, 'readFile'>> & {
  readonly files?: { readonly [path: string]: string };
};

function load(
  path: string,
  text: string,
  { files = {}, flags = {}, ...rest }: Rest = {},
): Promise<LoadedConfig> {
  const contents: { readonly [path: string]: string } = { ...files, [path]: text };
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  const readFile = (file: string): Promise<string> =>
    contents[file] === undefined ? Promise.reject(missing) : Promise.resolve(contents[file]);
  return loadConfig({
    flags: { ...flags, config: path },
    env: {},
    cwd: '/cwd',
    homeDir: '/home/ann',
    readFile,
    ...rest,
  });
}

describe('configurations of other hosts are read as they are', () => {
  test('Claude Desktop: other settings beside the servers, a name with spaces', async () => {
    const text = `{
      "globalShortcut": "Alt+Space",
      "preferences": { "menuBarEnabled": true, "legacyQuickEntryEnabled": false },
      "scale": 0,
      "mcpServers": {
        "Brave Search (work)": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-brave-search"], "env": { "BRAVE_API_KEY": "k" } }
      }
    }`;
    const { servers, invalidServers, notices } = await load(
      '/etc/claude_desktop_config.json',
      text,
    );
    expect(invalidServers).toEqual([]);
    expect(servers).toMatchObject([
      {
        name: 'Brave-Search-work',
        configuredName: 'Brave Search (work)',
        command: 'npx',
        env: { BRAVE_API_KEY: 'k' },
      },
    ]);
    expect(notices).toEqual([
      '/etc/claude_desktop_config.json: globalShortcut, preferences, scale: not read',
    ]);
  });

  test('VS Code: servers, inputs, comments, trailing commas, an env file and the folder of the workspace', async () => {
    const text = `{
      // Asked for once
      "inputs": [
        { "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true },
        { "type": "pickString", "id": "region", "description": "Region", "options": ["eu", "us"], "default": "eu" },
      ],
      "servers": {
        /* Both transports */
        "perplexity": { "type": "stdio", "command": "npx", "args": ["-y", "x", "\${workspaceFolder}"], "env": { "KEY": "\${input:perplexity-key}" }, "envFile": "\${workspaceFolder}/.env", },
        "fetch.remote": { "type": "http", "url": "https://\${input:region}.example.org/mcp", "dev": { "watch": "src" } },
      },
    }`;
    const { servers, invalidServers, notices } = await load('/project/.vscode/mcp.json', text, {
      flags: { inputs: { 'perplexity-key': 'pplx-1' } },
      files: { '/project/.env': 'EXTRA="from file"\nKEY=other # not this\n' },
    });
    expect({ invalidServers, notices }).toEqual({ invalidServers: [], notices: [] });
    expect(servers).toMatchObject([
      {
        name: 'perplexity',
        args: ['-y', 'x', '/project'],
        env: { EXTRA: 'from file', KEY: 'pplx-1' },
        secrets: ['pplx-1'],
      },
      {
        name: 'fetch-remote',
        configuredName: 'fetch.remote',
        transport: 'http',
        url: 'https://eu.example.org/mcp',
      },
    ]);
  });

  test('Cursor: its own variables', async () => {
    const text =
      '{"mcpServers": {"a": {"command": "${workspaceFolder}/bin/a", "args": ["${userHome}", "${workspaceFolderBasename}${/}x", "${env:TOKEN}"]}}}';
    const { servers } = await load('/project/.cursor/mcp.json', text, { env: { TOKEN: 't' } });
    expect(servers).toMatchObject([
      { command: '/project/bin/a', args: ['/home/ann', 'project/x', 't'] },
    ]);
  });

  test.each([
    ['Windsurf', { serverUrl: 'https://example.org/mcp', disabledTools: ['x'] }, 'auto'],
    ['Gemini CLI', { httpUrl: 'https://example.org/mcp', timeout: 5000, trust: false }, 'http'],
    ['Gemini CLI, the older transport', { url: 'https://example.org/mcp' }, 'auto'],
    [
      'Cline',
      {
        type: 'streamableHttp',
        url: 'https://example.org/mcp',
        autoApprove: [],
        disabled: false,
        timeout: 60,
      },
      'http',
    ],
    [
      'Roo Code',
      { type: 'streamable-http', url: 'https://example.org/mcp', alwaysAllow: ['x'] },
      'http',
    ],
    ['Claude Code', { type: 'http', url: 'https://example.org/mcp' }, 'http'],
    ['Claude Code, HTTP+SSE', { type: 'sse', url: 'https://example.org/mcp' }, 'sse'],
    ['FastMCP', { transport: 'streamable-http', url: 'https://example.org/mcp' }, 'http'],
    ['FastMCP, HTTP+SSE', { transport: 'sse', url: 'https://example.org/mcp' }, 'sse'],
  ])('%s: a server with a URL', async (_host, entry, transport) => {
    const { servers, invalidServers } = await load(
      '/etc/mcp.json',
      JSON.stringify({ mcpServers: { a: entry } }),
    );
    expect(invalidServers).toEqual([]);
    expect(servers).toMatchObject([{ name: 'a', transport, url: 'https://example.org/mcp' }]);
  });

  test('Zed: context_servers among its settings', async () => {
    const text =
      '{"theme": "One Dark", "vim_mode": true, "context_servers": {"a": {"source": "custom", "enabled": true, "command": "x"}, "b": {"enabled": false, "command": "y"}}}';
    const { servers, notices } = await load('/home/ann/.config/zed/settings.json', text);
    expect(servers.map(({ name }) => name)).toEqual(['a']);
    expect(notices).toEqual(['/home/ann/.config/zed/settings.json: theme, vim_mode: not read']);
  });
});

describe('inputs', () => {
  const text =
    '{"inputs": [{"id": "api-key", "password": true}], "servers": {"a": {"command": "x", "env": {"K": "${input:api-key}"}}, "b": {"command": "y"}}}';
  const keyOf = (config: LoadedConfig): unknown => config.servers.find(({ name }) => name === 'a');

  test('come from --input, then the environment, then a prompt', async () => {
    const askInput = () => Promise.resolve('asked');
    const env = { SIGNALBOX_INPUT_API_KEY: 'variable' };
    expect(
      keyOf(
        await load('/etc/mcp.json', text, {
          askInput,
          env,
          flags: { inputs: { 'api-key': 'flag' } },
        }),
      ),
    ).toMatchObject({ env: { K: 'flag' } });
    expect(keyOf(await load('/etc/mcp.json', text, { askInput, env }))).toMatchObject({
      env: { K: 'variable' },
    });
    expect(keyOf(await load('/etc/mcp.json', text, { askInput }))).toMatchObject({
      env: { K: 'asked' },
    });
  });

  test('are prompted for only if an enabled server needs them', async () => {
    const asked: string[] = [];
    const askInput = ({ id }: { readonly id: string }) =>
      Promise.resolve((asked.push(id), undefined));
    await load(
      '/etc/mcp.json',
      '{"inputs": [{"id": "a"}, {"id": "b"}], "servers": {"a": {"command": "x", "disabled": true, "args": ["${input:a}"]}}}',
      { askInput },
    );
    expect(asked).toEqual([]);
  });

  test('a server without a value for its input is left out; the other servers start', async () => {
    const { servers, invalidServers } = await load('/etc/mcp.json', text);
    expect(servers.map(({ name }) => name)).toEqual(['b']);
    expect(invalidServers).toEqual([
      {
        name: 'a',
        transport: 'stdio',
        problems: [
          'servers.a.env.K: the input "api-key" has no value; give it with --input api-key=VALUE or in the environment variable SIGNALBOX_INPUT_API_KEY',
        ],
      },
    ]);
  });
});

describe('one invalid entry', () => {
  const good = { command: 'node', args: ['x'] };
  test.each<[string, unknown, string]>([
    [
      'an unset variable',
      { command: 'x', args: ['${NOPE}'] },
      'mcpServers.bad.args[0]: the environment variable NOPE is not set',
    ],
    [
      'an unknown type',
      { type: 'smoke', url: 'http://x' },
      'mcpServers.bad.type: must be "stdio", "http" or "sse"',
    ],
    [
      'WebSocket',
      { type: 'ws', url: 'ws://x' },
      'mcpServers.bad.type: servers are reached by "http" and "sse"',
    ],
    ['no command and no address', {}, 'mcpServers.bad: has neither "command"'],
    [
      'an env file that is missing',
      { command: 'x', envFile: '.env' },
      'mcpServers.bad.envFile: cannot be read (ENOENT)',
    ],
    ['something else than an object', 7, 'mcpServers.bad: must be an object'],
    [
      'a misspelled policy',
      { command: 'x', signalbox: { trusted: true } },
      'mcpServers.bad.signalbox.trusted: unknown; did you mean "trust"?',
    ],
  ])(
    '%s: is left out with the reason and the other servers start; with --strict no server starts',
    async (_case, bad, problem) => {
      const text = JSON.stringify({ mcpServers: { bad, good } });
      const config = await load('/etc/mcp.json', text);
      expect(config.servers.map(({ name }) => name)).toEqual(['good']);
      expect(config.invalidServers).toMatchObject([
        { name: 'bad', problems: [expect.stringContaining(problem) as string] },
      ]);
      await expect(load('/etc/mcp.json', text, { flags: { isStrict: true } })).rejects.toThrow(
        `/etc/mcp.json: ${problem}`,
      );
    },
  );

  test('control: a misspelled setting of the service is an error in any case', async () => {
    await expect(load('/etc/mcp.json', '{"prot": 1}')).rejects.toThrow(
      'prot: unknown; did you mean "port"?',
    );
    await expect(load('/etc/mcp.json', '{"mcpServer": {}}')).rejects.toThrow(
      'mcpServer: unknown; did you mean "mcpServers"?',
    );
    await expect(load('/etc/mcp.json', '{"mcpServers": []}')).rejects.toThrow(
      'mcpServers: must be an object',
    );
  });
});

describe('names of servers', () => {
  const long = 'a very long name of a server that does a lot';

  test('that cannot begin a wire name are replaced by readable, distinct names', () => {
    const names = [
      'files',
      'my server',
      'my.server',
      'Brave Search',
      'io.github.x/y',
      '文件',
      '',
      '__',
      'a__b',
      'end_',
      long,
      `${long}!`,
    ];
    const safe = safeServerNames(names);
    expect([...safe.keys()]).toEqual(names);
    expect(new Set(safe.values()).size).toBe(names.length);
    for (const name of safe.values()) expect(name).toMatch(SERVER_NAME);
    expect([...safe.values()].slice(0, 1)).toEqual(['files']);
    expect(safe.get('Brave Search')).toBe('Brave-Search');
    expect(safe.get('io.github.x/y')).toBe('io-github-x-y');
    expect(safe.get('文件')).toMatch(/^server-[0-9a-f]{8}$/);
  });

  test('a valid name is never given to another server, in any order of the entries', () => {
    const names = ['my server', 'my-server', 'my.server'];
    const safe = safeServerNames(names);
    expect(safe.get('my-server')).toBe('my-server');
    expect(safe.get('my server')).toMatch(/^my-server-[0-9a-f]{8}$/);
    expect(new Map([...safeServerNames(names.toReversed())].toReversed())).toEqual(safe);
  });
});
