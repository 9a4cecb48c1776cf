import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ApiClient, type Json } from './support/client.ts';
import { startProtectedServer, type ProtectedServer } from './support/protected-server.ts';
import { writeScenario } from './support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type ProcessOptions,
  type Service,
  type ServiceProcess,
} from './support/service.ts';
import { storedTexts } from './support/stored.ts';

const LIMIT = { timeout: 60_000 };
const SECRET_KEY = Buffer.alloc(32, 'k').toString('base64');

let folder: string;
let far: ProtectedServer;

beforeEach(async () => {
  const created = await temporaryFolder();
  folder = created.path;
  onTestFinished(() => created.remove());
});

async function protectedServer(
  options: Parameters<typeof startProtectedServer>[0] = {},
): Promise<ProtectedServer> {
  const server = await startProtectedServer(options);
  onTestFinished(() => server.stop());
  return server;
}

const SIGNALBOX = { trust: true, approval: 'auto' };

interface StartOptions extends Partial<ProcessOptions> {
  /** Further servers. */
  readonly servers?: object;
}

async function configured({ servers = {}, ...options }: StartOptions): Promise<ProcessOptions> {
  const scenario = await writeScenario(folder, [
    { prompt: 'read', steps: [[{ tool: 'far__read' }]], answer: 'done' },
    {
      prompt: 'look around',
      steps: [[{ tool: 'local__environment', label: 'environment' }]],
      answer: '${result.environment.text}',
    },
  ]);
  return {
    folder,
    config: {
      llm: { provider: 'scripted', scenario },
      mcpServers: { far: { url: far.url, signalbox: SIGNALBOX }, ...servers },
    },
    ...options,
  };
}

/** Starts a process of the service with the protected server. */
async function start(options: StartOptions = {}): Promise<ServiceProcess> {
  const service = await startServiceProcess(await configured(options));
  onTestFinished(() => service.stop('SIGKILL'));
  return service;
}

/** Starts the service again after a kill, in this process. */
async function restart(): Promise<Service> {
  const service = await startService(await configured({}));
  onTestFinished(() => service.stop());
  return service;
}

async function untilState(api: ApiClient, state: string): Promise<Json> {
  let server: Json = {};
  await expect
    .poll(async () => (server = await api.get<Json>('/v1/servers/far'))['state'], LIMIT)
    .toBe(state);
  return server;
}

async function consent(api: ApiClient): Promise<string> {
  const { url } = await api.post<{ readonly url: string }>('/v1/servers/far/login');
  return far.authorization.browse(url);
}

async function untilAsked(api: ApiClient, id: string): Promise<void> {
  const { data } = await api.waitFor(id, ({ type }) => type === 'inbox.opened');
  expect(data).toMatchObject({ kind: 'server_login' });
}

test(
  'a run waits for a login that outlives a kill between the redirect and the token',
  LIMIT,
  async () => {
    far = await protectedServer();
    const first = await start();
    const api = new ApiClient(first.url);
    await untilState(api, 'needs_login');
    const { id } = await api.start('read', { servers: ['far'] });
    await untilAsked(api, id);
    far.authorization.misbehave('token-hangs');
    const redirected = fetch(await consent(api)).catch(() => undefined);
    await expect.poll(() => far.authorization.requestsTo('token').length, LIMIT).toBe(1);
    await first.stop('SIGKILL');
    await redirected;
    far.authorization.misbehave();
    const second = new ApiClient((await restart()).url);
    expect(await second.settled(id)).toMatchObject({ status: 'completed', answer: 'done' });
    expect(await untilState(second, 'ready')).toMatchObject({
      logged_in: { issuer: far.authorization.issuer },
    });
    expect(far.authorization.requestsTo('token')).toHaveLength(2);
    expect(far.calls()).toBe(1);
  },
);

test(
  'a code that was used before a kill leads to another login, and nothing is stuck',
  LIMIT,
  async () => {
    far = await protectedServer();
    const first = await start();
    const api = new ApiClient(first.url);
    await untilState(api, 'needs_login');
    const { id } = await api.start('read', { servers: ['far'] });
    await untilAsked(api, id);
    far.authorization.misbehave('token-hangs');
    const redirect = await consent(api);
    const redirected = fetch(redirect).catch(() => undefined);
    await expect.poll(() => far.authorization.requestsTo('token').length, LIMIT).toBe(1);
    await first.stop('SIGKILL');
    await redirected;
    far.authorization.misbehave('token-error-with-secret');
    const second = await restart();
    const later = new ApiClient(second.url);
    await expect.poll(() => second.log(), LIMIT).toContain('a login failed');
    far.authorization.misbehave();
    await untilState(later, 'needs_login');
    const page = await fetch(await consent(later));
    expect(await page.text()).toContain('You are logged in');
    expect(await later.settled(id)).toMatchObject({ status: 'completed' });
  },
);

describe('several processes', () => {
  test('an API process receives the redirect, and a worker uses the login', LIMIT, async () => {
    far = await protectedServer();
    const [apiProcess] = await Promise.all([
      start({ args: ['--role', 'api'] }),
      start({ args: ['--role', 'worker', '--port', '0'] }),
      start({ args: ['--role', 'worker', '--port', '0'] }),
    ]);
    const api = new ApiClient(apiProcess.url);
    await untilState(api, 'needs_login');
    const { id } = await api.start('read', { servers: ['far'] });
    await untilAsked(api, id);
    const page = await fetch(await consent(api));
    expect(await page.text()).toContain('You are logged in');
    expect(await api.settled(id)).toMatchObject({ status: 'completed' });
    await expect
      .poll(async () => (await api.get<Json>('/v1/servers/far'))['workers'], LIMIT)
      .toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
    expect(far.calls()).toBe(1);
    const response = await fetch(`${apiProcess.url}/v1/servers/far/login`, { method: 'DELETE' });
    expect(await response.json()).toEqual({ is_revoked: true });
    await expect
      .poll(async () => (await api.get<Json>('/v1/servers/far'))['workers'], LIMIT)
      .toMatchObject([{ state: 'needs_login' }, { state: 'needs_login' }]);
  });
});

const ENVIRONMENT_SERVER = `
import { serveStdio } from '@signalbox/mcp-core/stdio';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
const environment = defineTool({
  name: 'environment',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
  handler: () => ({ content: [{ type: 'text', text: JSON.stringify(process.env) }] }),
});
await serveStdio(createServer({ info: { name: 'local', version: '1' }, tools: [environment] }));
`;

test(
  'tokens, codes, clients and keys are in no file, log line, event, response or environment of a child',
  LIMIT,
  async () => {
    far = await protectedServer({ accessTokenSeconds: 1 });
    const service = await start({
      env: { SIGNALBOX_SECRET_KEY: SECRET_KEY },
      servers: {
        local: {
          command: 'node',
          args: ['--input-type=module', '-e', ENVIRONMENT_SERVER],
          cwd: import.meta.dirname,
          signalbox: SIGNALBOX,
        },
      },
    });
    const api = new ApiClient(service.url);
    await untilState(api, 'needs_login');
    const redirect = await consent(api);
    const page = await (await fetch(redirect)).text();
    await untilState(api, 'ready');
    await expect
      .poll(async () => (await api.get<Json>('/v1/servers/local'))['state'], LIMIT)
      .toBe('ready');
    // Each run gets another token, by a refresh.
    const runs: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { id } = await api.start('read');
      expect(await api.settled(id)).toMatchObject({ status: 'completed' });
      runs.push(id);
      await new Promise((resolve) => setTimeout(resolve, 1100));
    }
    const { id } = await api.start('look around');
    const { answer = '' } = await api.settled(id);
    expect(answer).toContain('PATH');
    const paths = [
      '/v1/servers',
      '/v1/servers/far',
      '/v1/servers/far/log',
      '/v1/servers/local/log',
      '/v1/inbox',
      '/v1/audit',
      '/metrics',
      ...[...runs, id].flatMap((run) => [
        `/v1/runs/${run}`,
        `/v1/runs/${run}/events`,
        `/v1/runs/${run}/tool-calls`,
      ]),
    ];
    const told = await Promise.all(
      paths.map(async (path) => (await fetch(`${service.url}${path}`)).text()),
    );
    await service.stop();
    const texts = [
      page,
      answer,
      service.log(),
      ...told,
      ...filesIn(folder),
      ...(await storedTexts(folder)),
    ];
    const secrets = secretsOf(far, redirect);
    // Requests to the token endpoint, the MCP server and the redirect had this many.
    expect(secrets.length).toBeGreaterThanOrEqual(8);
    for (const secret of [...secrets, SECRET_KEY])
      expect(
        texts.filter((text) => text.includes(secret)).map((text) => text.slice(0, 200)),
      ).toEqual([]);
  },
);

/** Returns what the service sent or received in secret. */
function secretsOf(
  { authorization, received }: ProtectedServer,
  redirect: string,
): readonly string[] {
  const forms = authorization
    .requestsTo('token')
    .flatMap(({ form }) =>
      ['code', 'code_verifier', 'refresh_token', 'client_secret'].flatMap(
        (name) => form.get(name) ?? [],
      ),
    );
  const { searchParams } = new URL(redirect);
  const state = searchParams.get('state') ?? '';
  return [...new Set([...forms, ...received, state])];
}

function filesIn(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'));
}
