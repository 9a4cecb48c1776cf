import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { writeScenario } from './support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type ProcessOptions,
  type ServiceProcess,
} from './support/service.ts';
import { storedTexts } from './support/stored.ts';

const labeledServer = fileURLToPath(new URL('support/labeled-server.ts', import.meta.url));
const TOKEN = 'the-token-of-the-test';
const KEY = 'what-only-the-added-server-knows';

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly body: { readonly [member: string]: unknown };
}

interface Edited {
  /** The text of every response. */
  readonly told: readonly string[];
  readonly folder: string;
  /** Ends the service with a signal and starts it again. */
  restart(signal: NodeJS.Signals): Promise<void>;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** Calls a tool without a model, and returns the text of its result or its error. */
  call(tool: string): Promise<string>;
  log(): string;
}

/** A service in this process or, where `restart` ends it with a signal, in one of its own. */
type Started = Pick<ServiceProcess, 'url' | 'log' | 'stop'>;

interface EditedOptions {
  readonly args?: readonly string[];
  /** Default: in this process. */
  readonly run?: (options: ProcessOptions) => Promise<Started>;
}

interface SendOptions {
  readonly body?: object;
  readonly headers?: { readonly [name: string]: string };
}

async function startEdited({ args = [], run = startService }: EditedOptions = {}): Promise<Edited> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const go = join(folder.path, 'go');
  const config = {
    edit_servers: 'all',
    llm: {
      provider: 'scripted',
      scenario: await writeScenario(folder.path, [
        {
          prompt: 'wait',
          steps: [[{ tool: 'first__wait', label: 'w' }]],
          answer: '${result.w.text}',
        },
        {
          prompt: 'wait and use later',
          steps: [[{ tool: 'first__wait' }], [{ tool: 'later__label' }]],
          answer: 'used',
        },
      ]),
    },
    mcpServers: {
      first: {
        command: 'node',
        args: [labeledServer, 'one', go],
        signalbox: { trust: true },
      },
    },
  };
  const start = (): Promise<Started> =>
    run({ folder: folder.path, config, args, env: { SIGNALBOX_TOKEN: TOKEN } });
  let service = await start();
  onTestFinished(() => service.stop());
  let logged = '';
  const told: string[] = [];
  const send: Edited['send'] = async (method, path, { body, headers = {} } = {}) => {
    const response = await fetch(`${service.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(method === 'GET' || method === 'DELETE' ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    told.push(text);
    return {
      status: response.status,
      etag: response.headers.get('etag') ?? '',
      body: text === '' ? {} : (JSON.parse(text) as Answer['body']),
    };
  };
  return {
    told,
    folder: folder.path,
    send,
    async restart(signal) {
      await service.stop(signal);
      logged += service.log();
      service = await start();
    },
    async call(tool) {
      const { body } = await send('POST', `/tools/${tool}/call`, {
        body: { arguments: {} },
        headers: { prefer: 'wait=30' },
      });
      return JSON.stringify(body);
    },
    log: () => logged + service.log(),
  };
}

const IF_NEW = { 'if-none-match': '*' };

/** Returns the definition of a server that starts a process. */
const labeled = (label: string, key: string): object => ({
  command: 'node',
  args: [labeledServer, label],
  env: { LABEL_KEY: key },
  signalbox: { trust: true },
});

async function untilState(service: Edited, name: string, state: string): Promise<void> {
  await expect
    .poll(async () => (await service.send('GET', `/servers/${name}`)).body['state'], {
      timeout: 60_000,
    })
    .toBe(state);
}

/** Starts a run that waits in a call of the server `first`. */
async function startWaiting(service: Edited, prompt = 'wait'): Promise<string> {
  const { body } = await service.send('POST', '/runs', { body: { prompt } });
  const id = String(body['id']);
  await expect
    .poll(async () => JSON.stringify((await service.send('GET', `/runs/${id}/events`)).body), {
      timeout: 60_000,
    })
    .toContain('tool_call.progress');
  return id;
}

async function untilAnswer(service: Edited, id: string): Promise<unknown> {
  await expect
    .poll(async () => (await service.send('GET', `/runs/${id}`)).body['status'], {
      timeout: 60_000,
    })
    .toBe('completed');
  return (await service.send('GET', `/runs/${id}`)).body['answer'];
}

test('a server is added, changed and removed while a run is in progress, and the changes outlive kill -9', async () => {
  const service = await startEdited({ run: startServiceProcess });
  await untilState(service, 'first', 'ready');
  const run = await startWaiting(service);

  const added = await service.send('PUT', '/servers/later/config', {
    body: labeled('two', KEY),
    headers: IF_NEW,
  });
  expect(added.status).toBe(201);
  await untilState(service, 'later', 'ready');
  expect(await service.call('later__label')).toContain(`two ${KEY.length}`);

  // The call in flight ends on the earlier process of the changed server.
  const first = await service.send('GET', '/servers/first/config');
  const { args } = first.body as { readonly args: readonly string[] };
  const changedFirst = await service.send('PUT', '/servers/first/config', {
    body: { ...first.body, args: args.map((each) => (each === 'one' ? 'changed' : each)) },
    headers: { 'if-match': first.etag },
  });
  expect(changedFirst.status).toBe(200);
  await untilState(service, 'first', 'draining');
  expect((await service.send('GET', `/runs/${run}`)).body['status']).toBe('running');

  const changed = await service.send('PUT', '/servers/later/config', {
    body: labeled('three', '***'),
    headers: { 'if-match': added.etag },
  });
  expect(changed).toMatchObject({ status: 200, body: { env: { LABEL_KEY: '***' } } });
  await expect
    .poll(() => service.call('later__label'), { timeout: 60_000 })
    .toContain(`three ${KEY.length}`);

  await writeFile(join(service.folder, 'go'), '');
  expect(await untilAnswer(service, run)).toBe('one');
  await expect.poll(() => service.call('first__label'), { timeout: 60_000 }).toContain('changed 0');

  await service.restart('SIGKILL');
  await untilState(service, 'later', 'ready');
  expect(await service.call('later__label')).toContain(`three ${KEY.length}`);
  await untilState(service, 'first', 'ready');
  expect(await service.call('first__label')).toContain('changed 0');

  expect((await service.send('DELETE', '/servers/later')).status).toBe(204);
  expect((await service.send('DELETE', '/servers/first')).status).toBe(204);
  await expect
    .poll(async () => (await service.send('GET', '/servers')).body['data'], { timeout: 60_000 })
    .toEqual([]);
  expect(await service.call('later__label')).toContain('server later was removed');
  await service.restart('SIGKILL');
  expect((await service.send('GET', '/servers')).body['data']).toEqual([]);
  expect((await service.send('GET', '/servers/first/config')).status).toBe(404);

  const { body: audit } = await service.send('GET', '/audit');
  const changes = (audit['data'] as readonly { readonly [member: string]: unknown }[]).filter(
    ({ kind }) => kind === 'server',
  );
  expect(changes.map(({ server, decision, api_key: key }) => [server, decision, key])).toEqual([
    ['later', 'added', 'default'],
    ['first', 'changed', 'default'],
    ['later', 'changed', 'default'],
    ['later', 'removed', 'default'],
    ['first', 'removed', 'default'],
  ]);
});

test('a run whose server is removed gets the reason with its next call, and completes', async () => {
  const service = await startEdited();
  await untilState(service, 'first', 'ready');
  await service.send('PUT', '/servers/later/config', {
    body: labeled('two', KEY),
    headers: IF_NEW,
  });
  await untilState(service, 'later', 'ready');
  const run = await startWaiting(service, 'wait and use later');
  expect((await service.send('DELETE', '/servers/later')).status).toBe(204);
  await expect
    .poll(async () => (await service.send('GET', '/servers/later')).status, { timeout: 60_000 })
    .toBe(404);
  await writeFile(join(service.folder, 'go'), '');
  expect(await untilAnswer(service, run)).toContain('server later was removed');
});

test('a server of the command line cannot be changed', async () => {
  const service = await startEdited({ args: ['--demo'] });
  const { body } = await service.send('GET', '/servers');
  expect(body['data']).toMatchObject([
    { name: 'first', definition: { source: 'configuration', editable: true } },
    ...['filesystem', 'sqlite', 'weather'].map((name) => ({
      name,
      definition: { source: 'command_line', editable: false },
    })),
  ]);
  expect((await service.send('DELETE', '/servers/sqlite')).status).toBe(409);
});

test('the secrets of an added server are in no response, event, audit entry, log line or database', async () => {
  const service = await startEdited();
  const definition = { ...labeled('two', KEY), args: [labeledServer, 'two', `--token=${KEY}`] };
  await service.send('PUT', '/servers/later/config', { body: definition, headers: IF_NEW });
  await untilState(service, 'later', 'ready');
  await service.call('later__label');
  await service.send('PUT', '/servers/broken/config', {
    body: { command: 'no-such-program', args: ['--password', KEY], env: { KEY } },
    headers: IF_NEW,
  });
  await untilState(service, 'broken', 'failed');
  for (const path of [
    '/servers',
    '/servers/later',
    '/servers/later/config',
    '/servers/later/log',
    '/servers/broken',
    '/servers/broken/config',
    '/audit',
    '/runs',
    '/tools',
  ])
    await service.send('GET', path);
  // The definition itself is stored for the next start, readable by its owner only.
  expect(readFileSync(join(service.folder, 'data', 'servers.json'), 'utf8')).toContain(KEY);
  const stored = await storedTexts(service.folder);
  await service.restart('SIGTERM');
  const data = join(service.folder, 'data');
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'servers.json')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  expect(service.log()).toContain('two has the key ***');
  expect(
    [...service.told, ...stored, ...files, service.log()].filter((text) => text.includes(KEY)),
  ).toEqual([]);
});

test('a service whose callers are not authenticated refuses to start with editing of all servers', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const started = startService({ folder: folder.path, config: { edit_servers: 'all' } });
  await expect(started).rejects.toThrow('set the environment variable SIGNALBOX_TOKEN');
});
