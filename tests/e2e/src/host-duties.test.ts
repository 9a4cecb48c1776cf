// Duties of every host of MCP servers, through the real service with real server processes.
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { InboxService } from './inbox/support/inbox-service.ts';
import { serverBin } from './support/service.ts';

const tellingServer = fileURLToPath(new URL('support/telling-server.ts', import.meta.url));
const askingServer = fileURLToPath(new URL('support/asking-server.ts', import.meta.url));

/** The service of most tests, or of the one test that has its own. */
let box: InboxService;

/** Gives the running test a service of its own. */
async function createOwnBox(): Promise<void> {
  const shared = box;
  box = await InboxService.create();
  onTestFinished(async () => {
    await box.close();
    box = shared;
  });
}

const recordOf = (server: string): string => join(box.folder, `${server}.record`);
const telling = (name: string, signalbox: object = {}): object => ({
  command: 'node',
  args: [tellingServer, recordOf(name)],
  signalbox: { trust: true, approval: 'auto', ...signalbox },
});
const asking = (signalbox: object = {}): object => ({
  command: 'node',
  args: [askingServer, join(box.folder, 'ledger')],
  signalbox: { trust: true, approval: 'auto', ...signalbox },
});

/** The address of an elicitation is part of its script. */
const site = createServer((request, response) => {
  visits.push(String(request.url));
  response.end();
});
const visits: string[] = [];
let siteUrl: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/sign-in?state=a%20b`;
  box = await InboxService.create();
  await box.start(
    {
      one: telling('one'),
      two: telling('two'),
      telling: telling('telling'),
      files: { command: 'node', args: [serverBin.filesystem, box.folder] },
      asking: asking(),
      'asking-legacy': asking({ era: 'legacy' }),
      'asking-modern': asking({ era: 'modern' }),
    },
    [
      {
        prompt: 'repeat',
        steps: [[{ tool: 'two__repeat-it', input: { text: 'for two' } }]],
        answer: 'repeated',
      },
      {
        prompt: 'repeat by a wrong name',
        steps: [[{ tool: 'one__repeat_them' }]],
        answer: 'not reached',
      },
      {
        prompt: 'greet',
        steps: [[{ tool: 'asking__greet', label: 'greeting' }]],
        answer: 'It said: ${result.greeting.text}',
      },
      {
        prompt: 'visit',
        steps: [[{ tool: 'telling__visit', input: { url: siteUrl } }]],
        answer: 'visited',
      },
      {
        prompt: 'append',
        steps: [[{ tool: 'asking__append_line', input: { text: 'one' } }]],
        answer: 'appended',
      },
      ...['legacy', 'modern'].map((era) => ({
        prompt: `linger as ${era}`,
        steps: [[{ tool: `asking-${era}__linger` }]],
        answer: 'not reached',
      })),
    ],
  );
});
afterAll(async () => {
  await box.close();
  site.close();
});

interface ServerView {
  readonly name: string;
  readonly state: string;
  readonly since: string;
  readonly error?: string;
}

async function serverOnce(
  name: string,
  holds: (server: ServerView) => boolean,
): Promise<ServerView> {
  let server: ServerView | undefined;
  await expect
    .poll(async () => holds((server = await box.api.get<ServerView>(`/v1/servers/${name}`))))
    .toBe(true);
  return server!;
}

/** Results of the calls of a run, in their order, when it has completed. */
async function resultsOf(prompt: string, more: object = {}): Promise<readonly unknown[]> {
  const { id } = await box.api.start(prompt, more);
  expect(await box.api.settled(id)).toMatchObject({ status: 'completed' });
  const calls = (await box.api.toolCalls(id)) as unknown as readonly {
    readonly result: { readonly content: readonly { readonly text: string }[] };
  }[];
  return calls.map(({ result }): unknown => JSON.parse(result.content[0]!.text));
}

test('all servers are connected at the start, concurrently; a failing server and a hanging server do not affect the others', async () => {
  await createOwnBox();
  const silent = { command: 'node', args: ['-e', 'setInterval(() => undefined, 1000)'] };
  const servers = {
    silent,
    failing: { command: 'no-such-command-here' },
    one: telling('one'),
    two: telling('two'),
    three: telling('three'),
  };
  await box.start(servers, [
    {
      prompt: 'repeat',
      steps: [
        ['one', 'two', 'three'].map((name) => ({
          tool: `${name}__repeat-it`,
          input: { text: name },
        })),
      ],
      answer: 'repeated',
    },
  ]);
  expect(await resultsOf('repeat', { servers: ['one', 'two', 'three'] })).toEqual([
    { repeated: 'one' },
    { repeated: 'two' },
    { repeated: 'three' },
  ]);
  expect(await serverOnce('failing', ({ state }) => state === 'failed')).toMatchObject({
    error: expect.stringContaining('was not found: check mcpServers.failing.command') as string,
  });
  expect(await serverOnce('silent', () => true)).toMatchObject({ state: 'connecting' });
});

test('the capabilities of each server decide which requests it gets, and REST shows them', async () => {
  for (const name of ['telling', 'files']) await serverOnce(name, ({ state }) => state === 'ready');
  const [plain, rich] = await Promise.all(
    ['telling', 'files'].map((name) =>
      box.api.get<{ capabilities: object }>(`/v1/servers/${name}`),
    ),
  );
  expect(Object.keys(plain!.capabilities).toSorted()).toEqual(['logging', 'tools']);
  expect(Object.keys(rich!.capabilities)).toEqual(
    expect.arrayContaining(['tools', 'resources', 'prompts', 'completions']),
  );
  expect((await box.api.get<{ data: object[] }>('/v1/servers/files/prompts')).data).not.toEqual([]);
  for (const list of ['prompts', 'resources', 'resource-templates'])
    expect(await box.api.get(`/v1/servers/telling/${list}`)).toEqual({ data: [] });
  expect(readFileSync(recordOf('telling'), 'utf8')).not.toMatch(/prompts\/|resources\//);
});

describe('a call', () => {
  test("goes to the server of its name, under the server's name of the tool", async () => {
    expect(await resultsOf('repeat')).toEqual([{ repeated: 'for two' }]);
    expect(readFileSync(recordOf('two'), 'utf8')).toContain('"name":"repeat-it"');
    expect(readFileSync(recordOf('one'), 'utf8')).not.toContain('tools/call');
  });

  test('of an unknown name is an error that the model reads, and the run continues', async () => {
    const { id } = await box.api.start('repeat by a wrong name');
    expect(await box.api.settled(id)).toMatchObject({
      status: 'completed',
      answer: expect.stringMatching(
        /^The tool one__repeat_them failed: .*one__repeat-it/s,
      ) as string,
    });
    expect(readFileSync(recordOf('one'), 'utf8')).not.toContain('tools/call');
  });
});

test.each([
  ['accept', { name: 'Ada' }, 'hello Ada'],
  ['decline', undefined, 'no name: decline'],
  ['cancel', undefined, 'no name: cancel'],
])(
  'a form names its server, and may be accepted, declined or cancelled',
  async (action, content, reply) => {
    const { id } = await box.api.start('greet');
    const item = await box.item(id, 'elicitation_form');
    expect(item.request).toMatchObject({
      server: 'asking',
      tool: 'greet',
      message: 'What is your name?',
      requested_schema: { properties: { name: { type: 'string' } } },
    });
    await box.respond(item, { action, ...(content === undefined ? {} : { content }) });
    expect(await box.api.settled(id)).toMatchObject({ answer: `It said: ${reply}` });
  },
);

test('the URL of an elicitation is never fetched, and only the response reaches the server', async () => {
  const { id } = await box.api.start('visit');
  const item = await box.item(id, 'elicitation_url');
  expect(item.request).toMatchObject({
    server: 'telling',
    url: siteUrl,
    host: new URL(siteUrl).host,
  });
  await box.cli('show', item.id);
  await box.respond(item, { action: 'accept' });
  expect(await box.api.settled(id)).toMatchObject({ status: 'completed' });
  expect(await box.api.toolCalls(id)).toMatchObject([
    { result: { content: [{ text: '{"action":"accept"}' }] } },
  ]);
  expect(visits).toEqual([]);
  // Somebody would have been noticed.
  await fetch(siteUrl);
  expect(visits).toEqual(['/sign-in?state=a%20b']);
});

test.each(['legacy', 'modern'])(
  'roots are set for a server by REST, the server is notified, and they end with the service (%s)',
  async (era) => {
    await createOwnBox();
    const [first, second] = ['first', 'second'].map((name) => join(box.folder, name)) as [
      string,
      string,
    ];
    for (const folder of [first, second]) mkdirSync(folder);
    const servers = {
      one: telling('one', { era, roots: [first] }),
      two: telling('two', { era, roots: [first] }),
    };
    await box.start(servers, [
      {
        prompt: 'roots',
        steps: [[{ tool: 'one__roots' }, { tool: 'two__roots' }]],
        answer: 'told',
      },
    ]);
    const urls = (folder: string): readonly string[] => [pathToFileURL(folder).href];
    expect(await resultsOf('roots')).toEqual([urls(first), urls(first)]);
    const answer = await fetch(`${box.url}/v1/servers/one/roots`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ roots: [second] }),
    });
    expect(await answer.json()).toMatchObject({ name: 'one', roots: [second] });
    expect(await resultsOf('roots')).toEqual([urls(second), urls(first)]);
    await box.restart();
    expect(await resultsOf('roots')).toEqual([urls(first), urls(first)]);
  },
);

test('the event stream has the progress of a call verbatim, with the id of the call', async () => {
  const { id } = await box.api.start('append');
  const progress = await box.api.waitFor(id, ({ type }) => type === 'tool_call.progress');
  await box.api.settled(id);
  const [call] = await box.api.toolCalls(id);
  expect(progress.data).toEqual({
    call_id: call!.id,
    attempt: 1,
    progress: 1,
    total: 2,
    message: 'written',
  });
});

test.each(['legacy', 'modern'])(
  'a person cancels a run, its call is cancelled, and the run shows the progress of the cancellation (%s)',
  async (era) => {
    const { id } = await box.api.start(`linger as ${era}`);
    await box.api.waitFor(id, ({ type }) => type === 'tool_call.progress');
    await box.api.post(`/v1/runs/${id}/cancel`, { reason: 'enough' });
    expect(await box.api.settled(id)).toMatchObject({
      status: 'cancelled',
      status_reason: 'enough',
    });
    expect(await box.api.toolCalls(id)).toMatchObject([
      { state: 'cancelled', cancel: 'delivered' },
    ]);
    expect(await box.api.events(id)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: 'tool_call.cancelled',
          data: expect.objectContaining({ cancel: 'delivered', outcome: 'harmless' }) as unknown,
        }),
      ]),
    );
  },
);
