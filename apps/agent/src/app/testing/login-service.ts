import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load-config.ts';
import type { Logger } from '../../ports/logger.ts';
import {
  startProtectedServer,
  type ProtectedServer,
} from '../../oauth/testing/protected-server.ts';
import { createApp, type App } from '../all.ts';

/** A service with the protected server `far`, and requests to its API. */
export interface LoginService {
  readonly app: App;
  readonly url: string;
  readonly remote: ProtectedServer;
  readonly log: readonly string[];
  readonly request: (method: string, path: string, body?: object) => Promise<Json>;
  /** Resolves with the server `far` once it is in a state. */
  readonly untilState: (state: string) => Promise<Json>;
  /** Starts a run and returns its id. */
  readonly startRun: (settings?: object) => Promise<string>;
  /** Begins a login and returns its address. */
  readonly beginLogin: () => Promise<string>;
  /** Begins a login, consents to it, and returns the page of the service. */
  readonly logIn: () => Promise<Response>;
  /** Resolves with a run once it has a status, or one of those separated by `|`. */
  readonly untilRun: (id: string, status: string) => Promise<Json>;
}

/** A response body. */
export interface Json {
  readonly [name: string]: unknown;
}

export interface LoginServiceOptions {
  /** Members of the entry of the server. */
  readonly entry?: object;
  readonly config?: object;
  readonly dataDir?: string;
  readonly remote?: ProtectedServer;
  readonly env?: { readonly [name: string]: string | undefined };
}

/** Starts a service whose model calls `read` of the protected server. */
export async function startLoginService({
  entry = {},
  config = {},
  dataDir,
  remote: given,
  env = {},
}: LoginServiceOptions = {}): Promise<LoginService> {
  const folder = await mkdtemp(join(tmpdir(), 'logins-'));
  const remote = given ?? (await startProtectedServer());
  const scenario = join(folder, 'scenario.json');
  const turns = [
    { when: { lastUser: '^read$', turn: 1 }, emit: [{ tool: 'far__read' }] },
    { when: { lastUser: '^read$', turn: 2 }, emit: [{ text: 'done' }] },
    { when: { toolError: true }, emit: [{ text: 'The tool failed: ${error.text}' }] },
  ];
  const script = { name: 'read', title: 'read', prompt: 'read', turns };
  await writeFile(scenario, JSON.stringify({ version: 1, scenarios: [script] }));
  const file = join(folder, 'signalbox.json');
  const signalbox = { approval: 'auto', trust: true };
  await writeFile(
    file,
    JSON.stringify({
      port: 0,
      data_dir: dataDir ?? join(folder, 'data'),
      llm: { provider: 'scripted', scenario },
      mcpServers: { far: { url: remote.url, signalbox, ...entry } },
      ...config,
    }),
  );
  const log: string[] = [];
  const add =
    (level: string): Logger['info'] =>
    (message, fields) =>
      void log.push(`${level} ${message} ${JSON.stringify(fields ?? {}, errorText)}`);
  const logger = { debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error') };
  const loaded = await loadConfig({
    flags: { config: file },
    env,
    cwd: folder,
    homeDir: folder,
  });
  const hooks = { sharesSchemaThread: true };
  const app = await createApp({
    config: loaded,
    serverEditing: loaded.serverEditing,
    version: '0',
    logger,
    paced: false,
    hooks,
  });
  onTestFinished(async () => {
    await app.close();
    if (given === undefined) await remote.close();
    await rm(folder, { recursive: true });
  });
  const url = await app.listen();
  const request: LoginService['request'] = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${env['SIGNALBOX_TOKEN'] ?? 'none'}`,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Json;
  };
  const until = async (path: string, isReached: (body: Json) => boolean): Promise<Json> => {
    for (;;) {
      const body = await request('GET', path);
      if (isReached(body)) return body;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const beginLogin = async (): Promise<string> =>
    String((await request('POST', '/v1/servers/far/login'))['url']);
  return {
    app,
    url,
    remote,
    log,
    request,
    untilState: (state) => until('/v1/servers/far', (server) => server['state'] === state),
    untilRun: (id, status) =>
      until(`/v1/runs/${id}`, (run) => status.split('|').includes(String(run['status']))),
    async startRun(settings = {}) {
      const { id } = await request('POST', '/v1/runs', { prompt: 'read', ...settings });
      return String(id);
    },
    beginLogin,
    logIn: async () => remote.consent(await beginLogin()),
  };
}

function errorText(_key: string, value: unknown): unknown {
  return value instanceof Error ? (value.stack ?? value.message) : value;
}
