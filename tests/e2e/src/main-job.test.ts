import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ApiClient } from './support/client.ts';
import { serverBin, startService, temporaryFolder, type Service } from './support/service.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let api: ApiClient;
let files: string;
let database: string;

/** A workspace with two packages. */
async function writeWorkspace(): Promise<void> {
  for (const [name, count] of [
    ['libs/small', 2],
    ['servers/large', 5],
  ] as const) {
    await mkdir(join(files, name, 'src'), { recursive: true });
    await writeFile(join(files, name, 'package.json'), `{ "name": "${name}" }\n`);
    for (let file = 0; file < count; file += 1)
      await writeFile(join(files, name, 'src', `file-${file}.ts`), '');
  }
}

/** A shop with two customers. */
function writeShop(): void {
  const shop = new Database(database);
  shop.exec(`
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, price_cents INTEGER);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, ordered_at TEXT);
    CREATE TABLE order_items (order_id INTEGER, product_id INTEGER, quantity INTEGER, unit_price_cents INTEGER);
    INSERT INTO customers VALUES (1, 'Ada', 'Brazil'), (2, 'Bruno', 'Norway');
    INSERT INTO products VALUES (1, 'Lamp', 1000), (2, 'Chair', 2500);
    INSERT INTO orders VALUES (1, 1, '2025-01-01'), (2, 2, '2025-01-02');
    INSERT INTO order_items VALUES (1, 2, 3, 2500), (2, 1, 4, 1000);
  `);
  shop.close();
}

beforeAll(async () => {
  folder = await temporaryFolder();
  files = join(folder.path, 'files');
  database = join(folder.path, 'shop.db');
  await writeWorkspace();
  writeShop();
  service = await startService({
    folder: folder.path,
    config: {
      mcpServers: {
        filesystem: {
          command: 'node',
          args: [serverBin.filesystem, files],
          signalbox: { trust: true },
        },
        sqlite: {
          command: 'node',
          args: [serverBin.sqlite, '--confirm', 'never', database],
          signalbox: { trust: true, sampling: 'auto' },
        },
        weather: {
          command: 'node',
          args: [serverBin.weather, '--demo', '--demo-delay-ms', '5'],
          signalbox: { trust: true },
        },
      },
    },
  });
  api = new ApiClient(service.url);
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

const answerTo = async (prompt: string): Promise<string> => {
  const run = await api.settled((await api.start(prompt)).id);
  expect(run).toMatchObject({ status: 'completed', scripted: true });
  return run.answer ?? '';
};

test('the files are searched with several calls, and changed files change the answer', async () => {
  const question = 'Which packages are in this workspace and which has the most source files?';
  const first = await answerTo(question);
  expect(first).toContain('libs/small/package.json');
  expect(first).toContain('The most source files are in servers/large: 5 of 7');

  const added = Array.from({ length: 7 }, (_, index) =>
    join(files, 'libs/small/src', `file-${index + 2}.ts`),
  );
  onTestFinished(async () => {
    for (const file of added) await rm(file, { force: true });
  });
  for (const file of added) await writeFile(file, '');
  expect(await answerTo(question)).toContain('The most source files are in libs/small: 9 of 14');
});

const change = (sql: string): void => {
  const shop = new Database(database);
  shop.exec(sql);
  shop.close();
};

test('the database is queried with several calls, and changed data changes the answer', async () => {
  const question = 'Which customers bought most?';
  expect(await answerTo(question)).toMatch(
    /Ada \(Brazil\) bought most: 75\.00 in 1 orders.*Chair: 3 pieces/s,
  );

  onTestFinished(() =>
    change('DELETE FROM orders WHERE id = 3; DELETE FROM order_items WHERE order_id = 3'),
  );
  change(
    "INSERT INTO orders VALUES (3, 2, '2025-01-03'); INSERT INTO order_items VALUES (3, 2, 9, 2500)",
  );
  expect(await answerTo(question)).toMatch(
    /Bruno \(Norway\) bought most: 265\.00 in 2 orders.*Chair: 9 pieces/s,
  );
});

test('a comparison of the weather reports progress and says that it is made-up', async () => {
  const { id } = await api.start('Compare the weather in Oslo, Lisbon and Cairo');
  const run = await api.settled(id);
  expect(run.answer).toMatch(/made-up/);
  const events = await api.events(id);
  const progress = events
    .filter((event) => event.type === 'tool_call.progress')
    .map((event) => event.data['progress']);
  expect(progress.at(-1)).toBe(3);
  expect(events.map((event) => event.type)).toEqual(
    expect.arrayContaining([
      'run.queued',
      'run.started',
      'turn.started',
      'tool_call.planned',
      'tool_call.dispatched',
      'tool_call.completed',
      'message.completed',
      'run.completed',
    ]),
  );
});

interface Tour {
  /** Cities before and after the change of the list during the run. */
  readonly lists: readonly [readonly string[], readonly string[]];
  readonly bestSellers: string;
}

/** Ranks places by single forecasts. */
async function warmestFirst(
  places: readonly string[],
): Promise<readonly { readonly place: string; readonly value: number }[]> {
  const values = await Promise.all(
    places.map(async (place) => {
      const { id } = await api.post<{ id: string }>('/v1/tools/weather__weather_forecast/call', {
        arguments: { location: place, days: 1 },
      });
      await api.settled(id);
      const [call] = await api.toolCalls(id);
      const { structuredContent } = call!['result'] as {
        readonly structuredContent: { readonly daily: readonly { temperatureMax: number }[] };
      };
      return { place, value: structuredContent.daily[0]!.temperatureMax };
    }),
  );
  return values.toSorted((a, b) => b.value - a.value);
}

/** Returns the plan that is right for the data. */
async function planOf({ lists: [, list], bestSellers }: Tour): Promise<string> {
  const ranking = await warmestFirst(list);
  return [
    bestSellers,
    `The stops, from the warmest: ${ranking.map(({ place }) => place).join(', ')}, with up to ${ranking.map(({ value }) => value).join(', ')} °C today (made-up demonstration data).`,
    '',
  ].join('\n');
}

/** Runs the tour, changes its list when the run follows it, and approves the plan. Returns its answer, its plan and its events. */
async function tourOf(name: string, { lists: [first, second] }: Tour) {
  const place = join(files, name);
  const list = join(place, 'cities.txt');
  await mkdir(place);
  const write = (cities: readonly string[]) => writeFile(list, `# Tour\n${cities.join('\n')}\n`);
  await write(first);
  const { id } = await api.start(
    `Plan the sales tour through the cities in ${pathToFileURL(list).href}, and follow the file`,
  );
  await api.waitFor(
    id,
    ({ type, data }) =>
      type === 'tool_call.progress' && String(data['message']).startsWith('waiting for a change'),
  );
  await write(second);
  const { data } = await api.waitFor(id, ({ type }) => type === 'inbox.opened');
  expect(data['kind']).toBe('tool_approval');
  await api.post(`/v1/inbox/${String(data['inbox_item_id'])}/respond`, { action: 'approve' });
  const run = await api.settled(id);
  expect(run).toMatchObject({ status: 'completed', scripted: true });
  return {
    answer: run.answer ?? '',
    plan: await readFile(join(place, 'plan.md'), 'utf8'),
    events: await api.events(id),
  };
}

test('a run with all servers follows a file, lets a server use the model and asks a person; changed data changes the answer', async () => {
  const before: Tour = {
    lists: [
      ['Oslo', 'Cairo'],
      ['Oslo', 'Nairobi', 'Lisbon'],
    ],
    bestSellers: 'Show Lamp: 4 pieces were sold. The best sellers: Lamp, Chair, with 4, 3 pieces.',
  };
  const after: Tour = {
    // Coordinates have made-up weather of their own.
    lists: [
      ['Rome', 'Paris'],
      ['70,20', 'Rome', '-5,100'],
    ],
    bestSellers: 'Show Chair: 8 pieces were sold. The best sellers: Chair, Lamp, with 8, 4 pieces.',
  };
  const first = await tourOf('first', before);
  const plan = await planOf(before);
  expect(first.plan).toBe(plan);
  expect(first.answer).toContain(plan);
  expect(first.events.filter(({ type }) => type === 'inbox.opened')).toHaveLength(1);
  expect(
    first.events.filter(
      ({ type, data }) => type === 'usage.updated' && data['source'] === 'server',
    ),
  ).toMatchObject([{ data: { server: 'sqlite', model: 'scripted' } }]);

  onTestFinished(() => change('DELETE FROM order_items WHERE order_id = 4'));
  change('INSERT INTO order_items VALUES (4, 2, 5, 2500)');
  const second = await tourOf('second', after);
  const changedPlan = await planOf(after);
  expect(second.plan).toBe(changedPlan);
  expect(second.answer).toContain(changedPlan);
  expect(second.answer).toContain('was the warmest stop of the first list: Rome, Paris.');
  // Control: an answer that does not follow the data is found.
  expect(first.answer).not.toContain(changedPlan);
  expect(first.answer).not.toContain(after.bestSellers);
});

test('the answer to a prompt without a scenario names the demos and how to set a key', async () => {
  const answer = await answerTo('Write me a poem about the sea');
  expect(answer).toContain('Which customers bought most?');
  expect(answer).toContain('OPENAI_API_KEY');
  expect(answer).toContain('ANTHROPIC_API_KEY');
});

test('a run sees only the servers it names', async () => {
  const run = await api.settled(
    (await api.start('Which customers bought most?', { servers: ['filesystem'] })).id,
  );
  expect(run.status).toBe('failed');
  expect(run.error?.message).toContain('sqlite__');
  expect(await api.toolCalls(run.id)).toEqual([]);
});

test('every server is ready, and no tool hint is missing', async () => {
  const states = async () => {
    const servers = await api.get<{ data: { name: string; state: string; era: string }[] }>(
      '/v1/servers',
    );
    return servers.data.map((server) => [server.name, server.state, server.era]);
  };
  await expect.poll(states, { timeout: 15_000 }).toEqual([
    ['filesystem', 'ready', 'modern'],
    ['sqlite', 'ready', 'modern'],
    ['weather', 'ready', 'modern'],
  ]);
  const tools = await api.get<{ data: { name: string; annotations: object }[] }>('/v1/tools');
  expect(tools.data.map((tool) => tool.name)).toEqual(
    expect.arrayContaining([
      'filesystem__list_allowed_directories',
      'filesystem__list_directory',
      'filesystem__read_text_file',
      'filesystem__search_files',
      'filesystem__write_file',
      'sqlite__describe_table',
      'sqlite__list_tables',
      'sqlite__read_query',
      'weather__weather_compare',
      'weather__weather_current',
      'weather__weather_forecast',
    ]),
  );
  for (const tool of tools.data)
    expect(Object.keys(tool.annotations).toSorted(), tool.name).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ]);
});
