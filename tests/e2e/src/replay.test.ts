import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiClient } from './support/client.ts';
import { runToEnd, type Ended } from './support/command.ts';
import { writeScenario } from './support/scenario.ts';
import { queryStored } from './support/stored.ts';
import {
  serverBin,
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceOptions,
} from './support/service.ts';

const restlessServer = fileURLToPath(new URL('support/restless-server.ts', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let api: ApiClient;

/** The options of a service with the servers of these names. */
async function prepare(...names: readonly ('files' | 'restless')[]): Promise<ServiceOptions> {
  const scenario = await writeScenario(folder.path, [
    {
      prompt: 'write',
      steps: [
        [{ tool: 'files__write_file', input: { path: 'a.txt', content: 'one' } }],
        [{ tool: 'files__read_text_file', input: { path: 'a.txt' } }],
      ],
      answer: 'written',
    },
    {
      prompt: 'change',
      steps: [
        [{ tool: 'restless__change' }],
        [{ tool: 'files__write_file', input: { path: 'b.txt', content: 'wait' } }],
        [{ tool: 'find_tools', input: { query: 'comes' } }],
        [{ tool: 'call_tool', input: { name: 'restless__comes' } }, { tool: 'restless__leaves' }],
      ],
      answer: 'changed',
    },
    { prompt: 'count', steps: [], answer: '{"n": 42}' },
    { prompt: 'guess', steps: [], answer: 'many' },
  ]);
  const servers = {
    files: {
      command: 'node',
      args: [serverBin.filesystem, folder.path],
      signalbox: { trust: true },
    },
    restless: { command: 'node', args: [restlessServer], signalbox: { trust: true } },
  };
  const mcpServers = Object.fromEntries(names.map((name) => [name, servers[name]])) as object;
  return {
    folder: folder.path,
    config: { llm: { provider: 'scripted', scenario }, mcpServers },
  };
}

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await service.stop();
  await folder.remove();
});

async function start(options: ServiceOptions): Promise<void> {
  service = await startService(options);
  api = new ApiClient(service.url);
}

const replay = (runId: string): Promise<Ended> =>
  runToEnd(['replay', runId], { folder: folder.path, env: { SIGNALBOX_DATA_DIR: 'data' } });

async function answer(runId: string, response: object): Promise<void> {
  await api.waitFor(runId, ({ type }) => type === 'inbox.opened');
  const { inbox } = await api.run(runId);
  await api.post(`/v1/inbox/${inbox[0]!.id}/respond`, response);
}

test('a run is replayed while the service runs, after it was killed, and with different decisions', async () => {
  const started = await startServiceProcess(await prepare('files'));
  service = started;
  api = new ApiClient(started.url);
  const { id } = await api.start('write');
  await answer(id, { action: 'approve', arguments: { path: 'a.txt', content: 'two' } });
  expect(await api.settled(id)).toMatchObject({ status: 'completed', answer: 'written' });
  const same = {
    code: 0,
    out: `run ${id} (completed, 3 turns, 2 tool calls) has the same decisions\n`,
    err: '',
  };
  expect(await replay(id)).toEqual(same);
  await started.stop('SIGKILL');
  expect(await replay(id)).toEqual(same);
  await queryStored(
    folder.path,
    "update messages set content = replace(content, 'read_text_file', 'write_file')",
  );
  expect(await replay(id)).toEqual({
    code: 1,
    out: `run ${id} (completed, 3 turns, 2 tool calls) has different decisions: turn 2, call 1 (files__read_text_file): name was "files__read_text_file" and is "files__write_file"\n`,
    err: '',
  });
  expect(await replay('nope')).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(
      /^signalbox: no run nope in (?:this data directory|the database postgres:\/\/[^@]+)\n$/,
    ) as string,
  });
});

test('a tool added during a run is found and called, a removed tool is announced, and the replay has the same tools at the same time', async () => {
  await start(await prepare('files', 'restless'));
  const { id } = await api.start('change');
  await api.waitFor(id, ({ type }) => type === 'inbox.opened');
  const tools = async (): Promise<readonly string[]> =>
    (await api.get<{ data: { name: string }[] }>('/v1/tools')).data
      .map(({ name }) => name)
      .filter((name) => name.startsWith('restless__'));
  await expect
    .poll(tools)
    .toEqual(['change', 'comes', 'ponder', 'stays'].map((name) => `restless__${name}`));
  await answer(id, { action: 'approve' });
  expect(await api.settled(id)).toMatchObject({ status: 'completed' });
  expect((await api.toolCalls(id)).map(({ name, state }) => `${name} ${state}`)).toEqual([
    'restless__change succeeded',
    'files__write_file succeeded',
    'find_tools succeeded',
    'restless__comes succeeded',
    'restless__leaves failed',
  ]);
  expect(await replay(id)).toMatchObject({ code: 0, err: '' });
});

test('an answer with an output schema is the output of its run after one repair, and is replayed', async () => {
  await start(await prepare());
  const output_schema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  };
  const { id } = await api.start('count', { output_schema });
  expect(await api.settled(id)).toMatchObject({
    status: 'completed',
    output: { n: 42 },
    output_schema,
  });
  expect((await api.events(id)).at(-1)).toMatchObject({
    type: 'run.completed',
    data: { output: { n: 42 } },
  });
  const guess = await api.start('guess', { output_schema });
  expect(await api.settled(guess.id)).toMatchObject({
    status: 'failed',
    error: { code: 'invalid_output' },
  });
  for (const run of [id, guess.id]) expect(await replay(run)).toMatchObject({ code: 0, err: '' });
  await expect(api.start('count', { output_schema: { type: 'string' } })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_output_schema',
  });
});
