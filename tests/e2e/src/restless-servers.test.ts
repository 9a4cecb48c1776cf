import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiClient } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { startService, temporaryFolder, type Service } from './support/service.ts';

const restlessServer = fileURLToPath(new URL('support/restless-server.ts', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let api: ApiClient;
async function start(era: string): Promise<void> {
  folder = await temporaryFolder();
  const scenario = await writeScenario(folder.path, [
    {
      prompt: 'change',
      steps: [
        [{ tool: 'restless__change' }, { tool: 'quiet__stays' }],
        [{ tool: 'restless__stays' }, { tool: 'quiet__stays' }],
      ],
      answer: 'changed and stayed',
    },
    {
      prompt: 'use what is gone',
      steps: [[{ tool: 'restless__leaves' }]],
      answer: 'there is more to do',
    },
    { prompt: 'use what came', steps: [[{ tool: 'restless__comes' }]], answer: 'used' },
    {
      prompt: 'ponder',
      steps: [[{ tool: 'restless__ponder' }, { tool: 'quiet__stays' }]],
      answer: 'pondered',
    },
  ]);
  const server = {
    command: 'node',
    args: [restlessServer],
    signalbox: { trust: true, sampling: 'auto', era },
  };
  service = await startService({
    folder: folder.path,
    config: {
      llm: { provider: 'scripted', scenario },
      mcpServers: { restless: server, quiet: server },
    },
  });
  api = new ApiClient(service.url);
}

const toolsOf = async (server: string): Promise<readonly string[]> =>
  (await api.get<{ data: { name: string }[] }>('/v1/tools')).data
    .map(({ name }) => name)
    .filter((name) => name.startsWith(server));

// A legacy server hears the refusal; in the modern era no answer could say it, so the call ends.
describe.each([
  [
    'legacy',
    /^pondered$/,
    { state: 'succeeded', result: { content: [{ text: 'answered 5 times' }] } },
  ],
  ['modern', /used all of its 5 sampling requests/, { state: 'failed' }],
])('in the %s era', (era, answer, call) => {
  beforeAll(() => start(era));
  afterAll(async () => {
    await service.stop();
    await folder.remove();
  });

  test('a server whose tools change during a run fails only the calls of removed tools', async () => {
    const { id } = await api.start('change');
    expect(await api.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'changed and stayed',
    });
    expect((await api.toolCalls(id)).map(({ state }) => state)).toEqual([
      'succeeded',
      'succeeded',
      'succeeded',
      'succeeded',
    ]);

    await expect
      .poll(() => toolsOf('restless__'))
      .toEqual(['change', 'comes', 'ponder', 'stays'].map((name) => `restless__${name}`));
    expect(await toolsOf('quiet__')).toEqual(
      ['change', 'leaves', 'ponder', 'stays'].map((name) => `quiet__${name}`),
    );

    const gone = await api.settled((await api.start('use what is gone')).id);
    expect(gone).toMatchObject({
      status: 'completed',
      answer: expect.stringMatching(/^The tool restless__leaves failed: /) as string,
    });
    expect(await api.settled((await api.start('use what came')).id)).toMatchObject({
      status: 'completed',
      answer: 'used',
    });
    expect(await api.get('/v1/servers/restless')).toMatchObject({ state: 'ready', restarts: 0 });
  });

  test('a server that samples in a loop gets as many replies as the run has turns, and the run ends', async () => {
    const { id } = await api.start('ponder', { limits: { turns: 5 } });
    const run = await api.settled(id);
    const [pondered, stayed] = await api.toolCalls(id);
    expect(stayed).toMatchObject({ state: 'succeeded' });
    expect(run).toMatchObject({
      status: 'completed',
      answer: expect.stringMatching(answer) as string,
    });
    expect(pondered).toMatchObject(call);
    const charged = (await api.events(id)).filter(
      ({ type, data }) => type === 'usage.updated' && data['source'] === 'server',
    );
    expect(charged).toHaveLength(5);
  });
});
