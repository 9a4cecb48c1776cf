import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfiguredServers } from '../app/configured-servers.ts';
import { isRemote, type ServerConfig } from '../config/config.ts';
import { loadConfig, type LoadedConfig } from '../config/load-config.ts';
import { localCatalogue } from '../fleet/local-catalogue.ts';
import { createTestEdge } from '../http/testing.ts';
import { FakeServer } from '../mcp/testing/fake-server.ts';
import {
  poolOf,
  recordingLogger,
  serverConfig,
  statusOf,
  toolNamed,
} from '../mcp/testing/pool-fixture.ts';
import type { ServerLogins } from '../ports/server-logins.ts';
import { MAX_DEFINITION_LENGTH, ServerEditor } from './server-editor.ts';

const TOKEN = 'the-token-of-the-test';
const SECRET = 'hush-hush-hush';
const FAR = { url: 'https://mcp.example/mcp', headers: { 'X-Key': SECRET } };
const FILES = { command: 'node', args: ['files.js', '--token', SECRET], env: { KEY: SECRET } };
const NEW = { url: 'https://new.example/mcp' };

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly body: { readonly [member: string]: unknown };
  readonly text: string;
}

interface Fixture {
  readonly config: LoadedConfig;
  readonly fakes: { readonly [name: string]: FakeServer };
  readonly servers: ConfiguredServers;
  readonly loggedOut: readonly string[];
  readonly log: readonly string[];
  readonly dataDir: string;
  readonly untilReady: (name: string) => Promise<unknown>;
  readonly send: (
    method: 'GET' | 'PUT' | 'DELETE',
    path: string,
    options?: { readonly body?: unknown; readonly headers?: { readonly [name: string]: string } },
  ) => Promise<Answer>;
  /** Adds a server. */
  readonly add: (name: string, body: unknown) => Promise<Answer>;
  /** Replaces a definition with the current tag. */
  readonly replace: (name: string, body: unknown) => Promise<Answer>;
}

interface Options {
  readonly mode?: 'off' | 'remote' | 'all';
  readonly file?: object;
  readonly fixed?: readonly string[];
  readonly dataDir?: string;
  readonly env?: { readonly [name: string]: string };
}

async function started({
  mode = 'all',
  file = {},
  fixed = [],
  dataDir,
  env = {},
}: Options = {}): Promise<Fixture> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'editor-')));
  if (dataDir === undefined) onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'signalbox.json');
  await writeFile(
    path,
    JSON.stringify({ mcpServers: { files: FILES, far: FAR }, edit_servers: mode, ...file }),
  );
  const config = await loadConfig({
    flags: { config: path, dataDir: folder },
    env: { SIGNALBOX_TOKEN: TOKEN, ...env },
    cwd: folder,
    homeDir: folder,
  });
  const fakes = Object.fromEntries(
    ['files', 'far', 'added', 'demo'].map((name) => [name, new FakeServer(toolNamed('t'))]),
  );
  const { pool } = poolOf(fakes);
  const servers = new ConfiguredServers({
    ...config,
    servers: [...config.servers, ...fixed.map((name) => serverConfig(name))],
  });
  for (const name of Object.keys(fakes))
    if (servers.get(name) === undefined) pool.removeServer(name);
  pool.start();
  await pool.settled(1000);
  const loggedOut: string[] = [];
  const logger = recordingLogger();
  const logins: Pick<ServerLogins, 'loginOf' | 'logOut'> = {
    loginOf: () => Promise.resolve({ issuer: 'https://as.example', loggedInAt: 1 }),
    logOut: (name) => {
      loggedOut.push(name);
      return Promise.resolve({ isRevoked: true });
    },
  };
  const { serverEditing } = config;
  const edge = await createTestEdge(
    { keys: [{ name: 'ann', token: TOKEN }] },
    {},
    {
      catalogue: localCatalogue(pool),
      directory: pool,
      ...(serverEditing === undefined
        ? {}
        : {
            definitions: new ServerEditor({
              editing: { ...serverEditing, fixed: new Set(fixed) },
              servers,
              pool,
              logins,
              store: { write: (locks, work) => edge.store.write(locks, work) },
              logger,
              allowedNetworks: config.remoteServers?.allowedNetworks,
            }),
          }),
    },
  );
  onTestFinished(() => edge.close());
  const send: Fixture['send'] = async (method, url, { body, headers = {} } = {}) => {
    const request: InjectOptions = {
      method,
      url: `/v1${url}`,
      headers: {
        host: 'localhost',
        authorization: `Bearer ${TOKEN}`,
        ...(method === 'PUT' ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    const response = await edge.app.inject(request);
    return {
      status: response.statusCode,
      etag: String(response.headers['etag']),
      body: response.body === '' ? {} : response.json<Answer['body']>(),
      text: response.body,
    };
  };
  return {
    config,
    fakes,
    servers,
    loggedOut,
    log: logger.lines,
    dataDir: folder,
    send,
    untilReady: (name) => statusOf(pool, name, ({ state }) => state === 'ready'),
    add: (name, body) =>
      send('PUT', `/servers/${name}/config`, { body, headers: { 'if-none-match': '*' } }),
    async replace(name, body) {
      const { etag } = await send('GET', `/servers/${name}/config`);
      return send('PUT', `/servers/${name}/config`, { body, headers: { 'if-match': etag } });
    },
  };
}

const errorsOf = ({ body }: Answer): unknown => body['errors'];
const pathsOf = (answer: Answer): readonly string[] =>
  (errorsOf(answer) as readonly { readonly path: string }[]).map(({ path }) => path);

describe('a definition', () => {
  test('is shown without the values of secrets', async () => {
    const { send } = await started();
    expect(await send('GET', '/servers/files/config')).toMatchObject({
      status: 200,
      body: { command: 'node', args: ['files.js', '--token', '***'], env: { KEY: '***' } },
    });
    const { body, etag } = await send('GET', '/servers/far/config');
    expect(body).toEqual({ url: FAR.url, headers: { 'X-Key': '***' } });
    const again = { headers: { 'if-none-match': etag } };
    expect(await send('GET', '/servers/far/config', again)).toMatchObject({ status: 304 });
    expect(await send('GET', '/servers/none/config')).toMatchObject({
      status: 404,
      body: { code: 'server_not_found' },
    });
  });

  test('shows references, and no members of other programs', async () => {
    const auth = {
      clientId: 'c',
      issuer: 'https://as.example',
      clientSecret: SECRET,
      grant: 'enterprise-managed',
      idTokenFile: 'id.jwt',
      identityProvider: { issuer: 'https://idp.example', clientId: 'i', clientSecret: SECRET },
    };
    const entry = {
      url: 'https://ann:pw@mcp.example/mcp?key=k',
      signalbox: { auth },
      oauth: { secret: SECRET },
      timeout: 5,
    };
    const files = { ...FILES, env: { KEY: '${TOKEN}' }, args: [`--db=postgres://a:${SECRET}@h`] };
    const { send } = await started({
      file: { mcpServers: { far: entry, files } },
      env: { TOKEN: SECRET },
    });
    expect((await send('GET', '/servers/far/config')).body).toEqual({
      url: 'https://ann:***@mcp.example/mcp?key=***',
      signalbox: {
        auth: {
          ...auth,
          clientSecret: '***',
          identityProvider: { ...auth.identityProvider, clientSecret: '***' },
        },
      },
    });
    expect((await send('GET', '/servers/files/config')).body).toEqual({
      command: 'node',
      args: ['--db=postgres://a:***@h'],
      env: { KEY: '${TOKEN}' },
    });
  });

  test('of an invalid server is not shown, but can be replaced', async () => {
    const { send, untilReady } = await started({
      file: { mcpServers: { far: { url: 7, headers: { a: SECRET } } } },
    });
    const shown = await send('GET', '/servers/far/config');
    expect(shown).toMatchObject({ status: 409, body: { code: 'server_not_editable' } });
    expect(shown.text).toContain('mcpServers.far.url: must be a string');
    expect(shown.text).not.toContain(SECRET);
    const headers = { 'if-match': '*' };
    expect(await send('PUT', '/servers/far/config', { body: NEW, headers })).toMatchObject({
      status: 200,
      body: NEW,
    });
    await untilReady('far');
  });
});

describe('adding a server', () => {
  test('stores and connects it, and a restart keeps it', async () => {
    const { add, send, untilReady, servers, fakes, dataDir } = await started();
    const definition = { ...FILES, signalbox: { trust: true, approval: 'auto' } };
    expect(await add('added', definition)).toMatchObject({
      status: 201,
      body: { ...definition, args: ['files.js', '--token', '***'], env: { KEY: '***' } },
    });
    await untilReady('added');
    expect(servers.policies['added']).toMatchObject({ approval: 'auto' });
    expect(fakes['added']!.configs).toMatchObject([{ env: { KEY: SECRET }, trust: true }]);
    expect(await send('GET', '/servers')).toMatchObject({
      body: {
        editing: 'all',
        data: [
          { name: 'files', definition: { source: 'configuration', editable: true } },
          { name: 'far', definition: { source: 'configuration', editable: true } },
          { name: 'added', definition: { source: 'api', editable: true } },
        ],
      },
    });
    const later = await started({ dataDir });
    expect(later.servers.get('added')).toMatchObject({ env: { KEY: SECRET } });
  });

  test('accepts the spelling of other hosts and keeps references', async () => {
    const { add, dataDir, servers } = await started({ env: { MY_KEY: SECRET } });
    const given = { type: 'streamable-http', serverUrl: NEW.url, headers: { A: '${MY_KEY}' } };
    const kept = { type: 'http', url: NEW.url, headers: { A: '${MY_KEY}' } };
    expect(await add('added', given)).toMatchObject({ status: 201, body: kept });
    const stored = await readFile(join(dataDir, 'servers.json'), 'utf8');
    expect(JSON.parse(stored)).toEqual({ mcpServers: { added: kept }, removed: [] });
    expect(servers.get('added')).toMatchObject({ headers: { A: SECRET } });
  });

  test('is refused for a name that is used, also by two requests at once', async () => {
    const { add, send } = await started();
    expect(await add('files', NEW)).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed' },
    });
    const answers = await Promise.all([add('added', NEW), add('added', NEW)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 412]));
    const headers = { 'if-match': '*' };
    expect(await send('PUT', '/servers/none/config', { body: NEW, headers })).toMatchObject({
      status: 404,
      body: { code: 'server_not_found' },
    });
    expect(await send('PUT', '/servers/none/config', { body: NEW })).toMatchObject({
      status: 428,
      body: { code: 'precondition_required' },
    });
  });

  test.each([
    'a__b',
    '__proto__',
    '_a',
    'a_',
    'a.b',
    'a%20b',
    '%2e%2e%2f',
    'a%2fb',
    'x'.repeat(33),
  ])('is refused for the name %s', async (name) => {
    const { add } = await started();
    expect(await add(name, NEW)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ path: '/path/name' }] },
    });
  });

  test('may be called like a member of every object', async () => {
    const { add, send, servers } = await started();
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
      expect(await send('GET', `/servers/${name}/config`)).toMatchObject({ status: 404 });
      expect(servers.get(name)).toBeUndefined();
      expect(await add(name, NEW)).toMatchObject({ status: 201 });
      expect(servers.policies[name]).toMatchObject({ approval: 'default' });
    }
  });

  test.each<[unknown, string, string]>([
    [{}, '/body', 'has neither "command"'],
    [[], '/body', 'must be an object'],
    ['7', '/body', 'must be an object'],
    [{ command: 'node', url: 'https://a' }, '/body', 'has "command" and "url"'],
    [{ command: 7 }, '/body/command', 'must be a string'],
    [{ command: 'node', args: [1] }, '/body/args/0', 'must be a string'],
    [{ command: 'node', env: { 'a/b': 1 } }, '/body/env/a~1b', 'must be a string'],
    [{ command: 'node', env: { KEY: '${UNSET}' } }, '/body/env/KEY', 'UNSET is not set'],
    [{ command: 'a\0b' }, '/body/command', 'NUL'],
    [{ command: 'node', env: { 'a\0b': 'c' } }, '/body/env/a\0b', 'NUL'],
    [{ url: 'ftp://a' }, '/body/url', 'must be an http or https URL'],
    [{ url: 'https://a', headers: { 'a b': 'c' } }, '/body/headers', 'is not the name'],
    [{ url: 'https://a', trust: true }, '/body/trust', 'is not read; use "signalbox.trust"'],
    [{ url: 'https://a', disabled: true }, '/body/disabled', 'is not read'],
    [{ url: 'https://a', signalbox: { trust: 1 } }, '/body/signalbox/trust', 'true or false'],
    [{ url: 'https://a', signalbox: { x: 1 } }, '/body/signalbox/x', 'unknown'],
    [{ url: 'http://169.254.169.254/' }, '/body/url', 'metadata service'],
    [{ url: 'http://[::ffff:169.254.169.254]/' }, '/body/url', 'metadata service'],
    [{ url: 'http://2852039166/' }, '/body/url', 'metadata service'],
    [{ url: 'http://[fe80::1]/' }, '/body/url', 'metadata service'],
    [{ url: 'https://a', headers: { A: '***' } }, '/body/headers/A', 'there is none'],
    [{ command: 'x', args: ['x'.repeat(MAX_DEFINITION_LENGTH)] }, '/body', 'at most 65536'],
  ])('with %j is refused', async (definition, path, message) => {
    const { add, fakes, dataDir } = await started();
    const answer = await add('added', definition);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(errorsOf(answer)).toContainEqual({
      path,
      message: expect.stringContaining(message) as string,
    });
    expect(fakes['added']!.launches).toBe(0);
    await expect(readFile(join(dataDir, 'servers.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('keeps to the allowed networks', async () => {
    const file = { remote_servers: { allowed_networks: ['10.0.0.0/8'] } };
    const { add } = await started({ file });
    expect(pathsOf(await add('added', { url: 'http://127.0.0.1:1/' }))).toEqual(['/body/url']);
    expect(await add('added', { url: 'http://10.0.0.1/' })).toMatchObject({ status: 201 });
  });

  test('with a body over the limit of the service is refused', async () => {
    const { add } = await started();
    const answer = await add('added', { command: 'x'.repeat(1024 * 1024) });
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  test.each([{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])(
    'of a web page (%j) is refused, and so is its removal of a server',
    async (headers) => {
      const { send } = await started();
      expect(await send('DELETE', '/servers/far', { headers })).toMatchObject({
        status: 403,
        body: { code: 'forbidden_origin' },
      });
      expect(await send('GET', '/servers/far')).toMatchObject({ status: 200 });
    },
  );

  test.each([
    [{ origin: 'https://evil.example' }, 403, 'forbidden_origin'],
    [{ 'sec-fetch-site': 'cross-site' }, 403, 'forbidden_origin'],
    [{ 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    [{ authorization: 'Bearer wrong' }, 401, 'unauthorized'],
  ])('with the headers %j is refused', async (headers, status, code) => {
    const { send } = await started();
    const all = { 'if-none-match': '*', ...headers };
    expect(await send('PUT', '/servers/added/config', { body: NEW, headers: all })).toMatchObject({
      status,
      body: { code },
    });
  });
});

describe('replacing a definition', () => {
  test('with marks keeps the secrets in their places', async () => {
    const { replace, servers, untilReady } = await started();
    const changed = {
      command: 'node',
      args: ['new.js', '--verbose', '--token', '***'],
      env: { KEY: '***', NEW: 'x' },
    };
    expect(await replace('files', changed)).toMatchObject({ status: 200 });
    await untilReady('files');
    expect(servers.get('files')).toMatchObject({
      args: ['new.js', '--verbose', '--token', SECRET],
      env: { KEY: SECRET, NEW: 'x' },
    });
    expect(
      await replace('far', { url: 'https://mcp.example/other', headers: { 'X-Key': '***' } }),
    ).toMatchObject({ status: 200 });
    expect(servers.get('far')).toMatchObject({ headers: { 'X-Key': SECRET } });
  });

  test('sends no kept secret to another address', async () => {
    const { replace, servers, loggedOut } = await started();
    const moved = { url: 'https://evil.example/mcp', headers: { 'X-Key': '***' } };
    const answer = await replace('far', moved);
    expect(answer).toMatchObject({ status: 400 });
    expect(pathsOf(answer)).toEqual(['/body/url']);
    const port = { url: 'https://mcp.example:444/mcp', headers: { 'X-Key': '***' } };
    expect(await replace('far', port)).toMatchObject({ status: 400 });
    const auth = { issuer: 'https://evil.example', clientId: 'c' };
    expect(
      await replace('far', { ...FAR, headers: { 'X-Key': '***' }, signalbox: { auth } }),
    ).toMatchObject({ status: 400 });
    expect(loggedOut).toEqual([]);
    expect(await replace('far', NEW)).toMatchObject({ status: 200 });
    expect(servers.get('far')).toMatchObject({ headers: {} });
    // The tokens of the login belong to the earlier address.
    expect(loggedOut).toEqual(['far']);
  });

  test('with a tag of an earlier definition is refused, also when only a secret changed', async () => {
    const { send, replace, servers } = await started();
    const before = await send('GET', '/servers/files/config');
    await replace('files', { ...FILES, env: { KEY: 'another-secret' } });
    const headers = { 'if-match': before.etag };
    const late = await send('PUT', '/servers/files/config', { body: FILES, headers });
    expect(late).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
    expect(await send('DELETE', '/servers/files', { headers })).toMatchObject({ status: 412 });
    expect(servers.get('files')).toMatchObject({ env: { KEY: 'another-secret' } });
  });

  test('with another number of equal marks is refused', async () => {
    const file = { mcpServers: { files: { command: 'x', args: ['--key', 'a1', '--key', 'b2'] } } };
    const { replace, servers } = await started({ file });
    expect(pathsOf(await replace('files', { command: 'x', args: ['--key', '***'] }))).toEqual([
      '/body/args/1',
    ]);
    const same = { command: 'x', args: ['--key', '***', '-v', '--key', '***'] };
    expect(await replace('files', same)).toMatchObject({ status: 200 });
    expect(servers.get('files')).toMatchObject({ args: ['--key', 'a1', '-v', '--key', 'b2'] });
  });
});

describe('removing a server', () => {
  test('of the API or of the configuration holds after a restart', async () => {
    const { add, send, dataDir, servers, loggedOut } = await started();
    await add('added', NEW);
    expect(await send('DELETE', '/servers/added')).toMatchObject({ status: 204 });
    expect(await send('DELETE', '/servers/far')).toMatchObject({ status: 204 });
    expect(await send('DELETE', '/servers/far')).toMatchObject({ status: 404 });
    expect(loggedOut).toEqual(['added', 'far']);
    expect(await send('GET', '/servers')).toMatchObject({ body: { data: [{ name: 'files' }] } });
    expect(servers.policies).not.toHaveProperty('far');
    const later = await started({ dataDir });
    expect(later.config.servers.map(({ name }) => name)).toEqual(['files']);
    expect(await later.add('far', NEW)).toMatchObject({ status: 201 });
    expect(later.servers.all.filter(isRemote)).toMatchObject([{ name: 'far', url: NEW.url }]);
  });
});

describe('with remote', () => {
  test('a server with a command cannot be added, changed or removed', async () => {
    const { add, send, replace, fakes } = await started({ mode: 'remote' });
    const refused = { status: 403, body: { code: 'server_editing_refused' } };
    expect(await add('added', FILES)).toMatchObject(refused);
    expect(await replace('files', FILES)).toMatchObject(refused);
    expect(await replace('files', NEW)).toMatchObject(refused);
    expect(await replace('far', FILES)).toMatchObject(refused);
    expect(await send('DELETE', '/servers/files')).toMatchObject(refused);
    expect(fakes['added']!.launches).toBe(0);
    expect(await add('added', NEW)).toMatchObject({ status: 201 });
    expect(await send('GET', '/servers')).toMatchObject({
      body: {
        editing: 'remote',
        data: [
          { name: 'files', definition: { source: 'configuration', editable: false } },
          { name: 'far', definition: { source: 'configuration', editable: true } },
          { name: 'added', definition: { source: 'api', editable: true } },
        ],
      },
    });
  });

  test('a definition reads neither the environment nor files of the service', async () => {
    const env = { OPENAI_API_KEY: SECRET };
    const { add } = await started({ mode: 'remote', env });
    const control = await started({ mode: 'all', env });
    const client = { issuer: 'https://evil.example', clientId: 'c' };
    const auth = { ...client, grant: 'jwt-bearer', assertionFile: '/etc/passwd' };
    for (const [definition, path] of [
      [{ ...NEW, headers: { A: 'Bearer ${OPENAI_API_KEY}' } }, '/body/headers/A'],
      [{ url: 'https://${OPENAI_API_KEY}.evil.example/' }, '/body/url'],
      [{ ...NEW, signalbox: { auth } }, '/body/signalbox/auth/assertionFile'],
      [
        { ...NEW, signalbox: { auth: { ...client, clientSecret: '${SIGNALBOX_TOKEN}' } } },
        '/body/signalbox/auth/clientSecret',
      ],
    ] as const) {
      expect(pathsOf(await add('added', definition))).toEqual([path]);
      expect(await control.add('added', definition)).toMatchObject({ status: 201 });
      await control.send('DELETE', '/servers/added');
    }
    const literal = { ...NEW, headers: { A: '$${NOT_READ}' } };
    expect(await add('added', literal)).toMatchObject({ status: 201 });
  });

  test('references of the configuration are kept for the same address only', async () => {
    const far = { url: FAR.url, headers: { 'X-Key': '${MY_KEY}' } };
    const { replace, servers } = await started({
      mode: 'remote',
      file: { mcpServers: { far } },
      env: { MY_KEY: SECRET },
    });
    expect(await replace('far', { ...far, url: 'https://mcp.example/v2' })).toMatchObject({
      status: 200,
    });
    expect(servers.get('far')).toMatchObject({ headers: { 'X-Key': SECRET } });
    const moved = await replace('far', { ...far, url: 'https://evil.example/' });
    expect(pathsOf(moved)).toEqual(['/body/headers/X-Key']);
  });
});

test('without editing every change is refused with the way to enable it', async () => {
  const { add, send } = await started({ mode: 'off' });
  const refused = { status: 403, body: { code: 'server_editing_off' } };
  expect(await add('added', NEW)).toMatchObject(refused);
  expect(await send('GET', '/servers/files/config')).toMatchObject(refused);
  const removal = await send('DELETE', '/servers/files');
  expect(removal).toMatchObject(refused);
  expect(removal.text).toContain('--edit-servers');
  const { body } = await send('GET', '/servers');
  expect(body).toMatchObject({ editing: 'off' });
  expect(JSON.stringify(body)).not.toContain('editable');
});

test('a server of the command line cannot be changed', async () => {
  const { add, send } = await started({ fixed: ['demo'] });
  const refused = { status: 409, body: { code: 'server_not_editable' } };
  expect(await send('GET', '/servers/demo/config')).toMatchObject(refused);
  expect(await send('DELETE', '/servers/demo')).toMatchObject(refused);
  expect(await add('demo', NEW)).toMatchObject({ status: 412 });
  expect(await send('GET', '/servers/demo')).toMatchObject({
    body: { definition: { source: 'command_line', editable: false } },
  });
});

describe('the audit log', () => {
  test('has each change with the name of the key, and no secret', async () => {
    const { add, replace, send, log } = await started();
    await add('added', FILES);
    await replace('added', { ...FILES, args: [] });
    await send('DELETE', '/servers/added');
    await add('bad name', NEW);
    const { body, text } = await send('GET', '/audit');
    expect(body['data']).toMatchObject(
      ['added', 'changed', 'removed'].map((decision) => ({
        kind: 'server',
        who: 'person',
        server: 'added',
        api_key: 'ann',
        decision,
      })),
    );
    expect(text + log.join()).not.toContain(SECRET);
    expect(log.join()).toContain('a server was changed by the API');
  });

  test('shows a change that could not be stored, which has no effect', async () => {
    const { add, send, dataDir, fakes } = await started();
    await rm(dataDir, { recursive: true });
    await writeFile(dataDir, 'in the way');
    onTestFinished(() => chmod(dataDir, 0o600));
    expect(await add('added', NEW)).toMatchObject({
      status: 503,
      body: {
        code: 'storage_broken',
        detail: expect.stringContaining('nothing was changed') as string,
      },
    });
    expect((await send('GET', '/audit')).body['data']).toMatchObject([
      { decision: 'added' },
      { decision: 'not_applied', who: 'service' },
    ]);
    expect(fakes['added']!.launches).toBe(0);
    expect(await send('GET', '/servers/added/config')).toMatchObject({ status: 404 });
  });
});

test('at most 200 servers are stored', { timeout: 60_000 }, async () => {
  const stored: { [name: string]: Pick<ServerConfig, 'name'> | object } = {};
  for (let count = 0; count < 200; count += 1) stored[`s${count}`] = NEW;
  const folder = await mkdtemp(join(tmpdir(), 'editor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'servers.json'), JSON.stringify({ mcpServers: stored }));
  const { add, replace } = await started({ dataDir: folder });
  expect(await add('added', NEW)).toMatchObject({
    status: 409,
    body: { code: 'too_many_servers' },
  });
  expect(await replace('s7', { url: 'https://other.example/' })).toMatchObject({ status: 200 });
});
