import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ApiClient } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceOptions,
} from './support/service.ts';

const tellingServer = fileURLToPath(new URL('support/telling-server.ts', import.meta.url));
const TOKEN = 'the-token-of-the-service';

/** A service with two servers, `one` and `two`, which keep what they are sent. */
interface World {
  readonly service: Service;
  readonly api: ApiClient;
  readonly recordOf: (server: string) => string;
  readonly rootsOf: (server: string) => string;
  close(): Promise<void>;
}

/** Starts a service; each of its servers has an environment variable and a root of its own. */
async function createWorld(
  era: string,
  start: (options: ServiceOptions) => Promise<Service>,
  env: Readonly<Record<string, string>> = {},
): Promise<World> {
  const folder = await temporaryFolder();
  const recordOf = (server: string): string => join(folder.path, `${server}.record`);
  const rootsOf = (server: string): string => join(folder.path, `roots-${server}`);
  const scenario = await writeScenario(folder.path, [
    {
      prompt: 'environments',
      steps: [[{ tool: 'one__environment' }, { tool: 'two__environment' }]],
      answer: 'told',
    },
    { prompt: 'roots', steps: [[{ tool: 'one__roots' }, { tool: 'two__roots' }]], answer: 'told' },
    {
      prompt: 'a prompt that is nobody else s business',
      steps: [
        [{ tool: 'one__repeat-it', input: { text: 'for server one' } }],
        [{ tool: 'two__repeat-it', input: { text: 'for server two' } }],
      ],
      answer: 'an answer for the user',
    },
  ]);
  const server = (name: string): object => ({
    command: 'node',
    args: [tellingServer, recordOf(name)],
    env: { OWN: `of ${name}` },
    signalbox: { trust: true, era, roots: [rootsOf(name)] },
  });
  for (const name of ['one', 'two']) mkdirSync(rootsOf(name));
  const service = await start({
    folder: folder.path,
    env,
    config: {
      llm: { provider: 'scripted', scenario },
      mcpServers: { one: server('one'), two: server('two') },
    },
  });
  return {
    service,
    api: new ApiClient(service.url),
    recordOf,
    rootsOf,
    async close() {
      await service.stop();
      await folder.remove();
    },
  };
}

/** The service of each era, in this process. */
const worlds = new Map<string, World>();
beforeAll(async () => {
  for (const era of ['legacy', 'modern']) worlds.set(era, await createWorld(era, startService));
});
afterAll(async () => {
  for (const world of worlds.values()) await world.close();
});

function worldOf(era: string): World {
  const world = worlds.get(era);
  if (world === undefined) throw new Error(`there is no service of the ${era} era`);
  return world;
}

/** Gives the running test a service in a process of its own. */
async function createOwnWorld(env: Readonly<Record<string, string>>): Promise<World> {
  const world = await createWorld('auto', startServiceProcess, env);
  onTestFinished(() => world.close());
  return world;
}

/** Results of the calls of a run, by wire name. */
async function toldIn(
  api: ApiClient,
  prompt: string,
): Promise<{ readonly [tool: string]: unknown }> {
  const { id } = await api.start(prompt);
  expect(await api.settled(id)).toMatchObject({ status: 'completed' });
  const calls = (await api.toolCalls(id)) as unknown as readonly {
    readonly name: string;
    readonly result: { readonly content: readonly { readonly text: string }[] };
  }[];
  return Object.fromEntries(
    calls.map(({ name, result }) => [name, JSON.parse(result.content[0]!.text)]),
  );
}

test('a server process has neither keys nor other variables of the service, nor the settings of other servers', async () => {
  const { api } = await createOwnWorld({
    ANTHROPIC_API_KEY: 'key-1',
    OPENAI_API_KEY: 'key-2',
    SIGNALBOX_LOG_LEVEL: 'debug',
    SHOP_DATABASE_URL: 'postgres://me:hush@db',
    NODE_OPTIONS: '--no-warnings',
  });
  const told = await toldIn(api, 'environments');
  for (const [tool, own] of [
    ['one__environment', 'of one'],
    ['two__environment', 'of two'],
  ] as const) {
    const environment = told[tool] as { readonly [name: string]: string };
    expect(environment['OWN']).toBe(own);
    // startServiceProcess configures the compile cache; the service itself adds a mark to find the process by.
    expect(
      Object.keys(environment).filter(
        (name) =>
          ![
            'OWN',
            'NODE_COMPILE_CACHE',
            'SIGNALBOX_SERVER_ID',
            'PATH',
            'HOME',
            'LANG',
            'LOGNAME',
            'SHELL',
            'TERM',
            'USER',
          ].includes(name),
      ),
    ).toEqual([]);
  }
});

test.each(['legacy', 'modern'])(
  'a server receives only its own calls of a run (%s)',
  async (era) => {
    const { api, recordOf } = worldOf(era);
    await toldIn(api, 'a prompt that is nobody else s business');
    const [one, two] = ['one', 'two'].map((name) => readFileSync(recordOf(name), 'utf8'));
    expect(one).toContain('for server one');
    expect(two).toContain('for server two');
    for (const record of [one, two])
      expect(record).not.toMatch(/nobody else|answer for the user|Repeats/);
    expect(one).not.toContain('for server two');
    // Not even by the name that the model knows it under.
    expect(one).not.toContain('one__');
    expect(two).not.toContain('for server one');
  },
);

test.each(['legacy', 'modern'])('each server receives only its own roots (%s)', async (era) => {
  const { api, rootsOf } = worldOf(era);
  expect(await toldIn(api, 'roots')).toEqual({
    one__roots: [pathToFileURL(rootsOf('one')).href],
    two__roots: [pathToFileURL(rootsOf('two')).href],
  });
});

test('a service with a token passes it to no server', async () => {
  const { service, recordOf } = await createOwnWorld({ SIGNALBOX_TOKEN: TOKEN });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const asked = await fetch(`${service.url}/v1/runs`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: '{"prompt":"environments"}',
  });
  const events = await asked.text();
  expect(events).toContain('tool_call.completed');
  expect(events).toContain('SIGNALBOX_SERVER_ID');
  expect(
    `${events}${service.log()}${readFileSync(recordOf('one'), 'utf8')}${readFileSync(recordOf('two'), 'utf8')}`,
  ).not.toContain(TOKEN);
});
