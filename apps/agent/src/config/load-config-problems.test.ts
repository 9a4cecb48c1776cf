import { describe, expect, test } from 'vitest';
import { loadConfig, type ConfigFlags, type ConfigSources } from './load-config.ts';
import { missing, problemOf, sources } from './testing/config-sources.ts';

describe('error messages name the location and the remedy', () => {
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
      '/etc/signalbox.json: mcpServers.a.signalbox.zzzzzzzzz: unknown; known are trust, allow, deny, roots, era, approval, approvals, sampling, connections, singleton, connectMs, callsPerMinute, samplingReview, maxMessageBytes, auth',
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
      '/etc/signalbox.json: llm.api_key: not allowed here: keys are read from environment variables only: OPENAI_API_KEY, ANTHROPIC_API_KEY, or the variable that key_variable of a provider names',
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
      '/etc/signalbox.json: mcpServers.a.env: is for a server with "command"; put the secrets of a server with "url" in "headers"',
    ],
    [
      'headers for a command',
      { mcpServers: { a: { command: 'x', headers: { K: 'v' } } } },
      '/etc/signalbox.json: mcpServers.a.headers: are for a server with "url"; a server with "command" gets its secrets in "env"',
    ],
    [
      'a modern server over the old transport',
      { mcpServers: { a: { type: 'sse', url: 'http://x', signalbox: { era: 'modern' } } } },
      '/etc/signalbox.json: mcpServers.a.signalbox.era: is "modern", but the transport "sse" exists in the legacy era only',
    ],
    [
      'several connections of a singleton',
      { mcpServers: { a: { command: 'x', signalbox: { singleton: true, connections: 2 } } } },
      '/etc/signalbox.json: mcpServers.a.signalbox.connections: is 2, but a server with singleton has one connection; remove it or set it to 1',
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
      'the host 0.0.0.0 can be reached from other machines: set the environment variable SIGNALBOX_TOKEN to a secret that clients must send, or configure api_keys, or use the host 127.0.0.1',
    ],
    [
      'probes of a worker on an open host without a token',
      {
        file: { api_keys: { ci: { token_variable: 'CI_TOKEN' } } },
        flags: { host: '0.0.0.0', role: 'worker', port: 0 },
        env: { CI_TOKEN: 'hush' },
      },
      'the host 0.0.0.0 can be reached from other machines: set the environment variable SIGNALBOX_TOKEN to a secret that clients must send, or use the host 127.0.0.1',
    ],
  ])('%s', async (_title, { flags, env, file }, expected) => {
    expect(await problemOf(sources(file ?? {}, { flags: flags ?? {}, env: env ?? {} }))).toBe(
      expected,
    );
  });

  test('a non-loopback host with a token is allowed', async () => {
    expect(
      (await loadConfig(sources({ host: '0.0.0.0' }, { env: { SIGNALBOX_TOKEN: 't' } }))).host,
    ).toBe('0.0.0.0');
  });

  test.each([
    ['a worker without probes', { role: 'worker' }, false],
    ['a command with a service of its own', {}, true],
  ])('%s does not listen, and needs no API key', async (_title, flags, isTemporary) => {
    const file = { host: '0.0.0.0', api_keys: { ci: { token_variable: 'CI_TOKEN' } } };
    const config = await loadConfig({ ...sources(file, { flags }), isTemporary });
    expect(config.apiKeys).toEqual([]);
  });

  test('a command with a service of its own takes the servers of a service that may change all of them', async () => {
    const file = { edit_servers: 'all', mcpServers: { a: { command: 'a' } } };
    const env = { SIGNALBOX_ROLE: 'worker' };
    const input = sources(file, { env });
    const readFile = (path: string): Promise<string> =>
      path === '/etc/signalbox.json' ? Promise.resolve(JSON.stringify(file)) : missing();
    const config = await loadConfig({ ...input, readFile, isTemporary: true });
    expect(config.servers.map(({ name }) => name)).toEqual(['a']);
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
