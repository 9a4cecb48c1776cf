import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sdkV1SamplingServer, sdkV2SamplingServer } from '../../peers/src/official-servers.ts';
import type { Json } from './support/client.ts';
import { startModelServer, type ModelServer, type Said } from './support/model-server.ts';
import { startService, temporaryFolder, type Service } from './support/service.ts';

const ownServer = fileURLToPath(new URL('support/sampling-server.ts', import.meta.url));
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const TOOLS = [
  {
    name: 'look.up',
    description: 'Looks up.',
    inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  },
];
/** Name of the tool `look.up` for the model, which does not accept the dot. */
const WIRE_NAME = 'look_up_c2199496';
const user = (content: unknown) => ({ role: 'user', content });
const text = (value: string) => ({ type: 'text', text: value });

interface CallRun extends Json {
  readonly status: string;
  readonly call: {
    readonly state: string;
    readonly result?: {
      readonly isError?: boolean;
      readonly content: readonly { readonly text: string }[];
    };
    readonly error?: { readonly message: string };
  };
  readonly usage?: Json;
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let model: ModelServer;

const SERVERS = [
  ['our server of the legacy era', 'legacy', ownServer, 'legacy'],
  ['our server of the modern era', 'modern', ownServer, 'modern'],
  ['a server on the SDK v1', 'sdk-v1', sdkV1SamplingServer, 'auto'],
  ['a server on the SDK v2', 'sdk-v2', sdkV2SamplingServer, 'auto'],
] as const;

/** A service with each server twice: as `asks-…`, and as `denied-…` without permission to ask the model. */
beforeAll(async () => {
  folder = await temporaryFolder();
  model = await startModelServer();
  const server = (program: string, era: string, sampling: string): object => ({
    command: 'node',
    args: [program],
    signalbox: { trust: true, era, sampling, approval: 'auto' },
  });
  service = await startService({
    folder: folder.path,
    config: {
      llm: {
        wire: 'chat',
        base_url: model.url,
        model: 'plain',
        models: { ears: { takes: { audio: true } }, wise: { intelligence: 1, tier: 'large' } },
      },
      mcpServers: Object.fromEntries(
        SERVERS.flatMap(([, id, program, era]) => [
          [`asks-${id}`, server(program, era, 'auto')],
          [`denied-${id}`, server(program, era, 'deny')],
        ]),
      ) as object,
    },
  });
});
afterAll(async () => {
  await service.stop();
  await model.close();
  await folder.remove();
});

describe.each(SERVERS)('%s', (_title, id) => {
  beforeEach(() => model.forget());

  /** The reply that the server got, or the words of the failure. */
  async function ask(params: Json, said?: Said, server = `asks-${id}`): Promise<Json | string> {
    if (said !== undefined) model.say(said);
    const run = await called(`${server}__sample`, {
      arguments: {
        params: JSON.stringify({ messages: [user(text('Go'))], maxTokens: 50, ...params }),
      },
    });
    const shown =
      run.call.result?.content[0]?.text ?? run.call.error?.message ?? JSON.stringify(run);
    return run.call.state === 'succeeded' ? (JSON.parse(shown) as Json) : shown;
  }

  async function called(tool: string, body: object): Promise<CallRun> {
    const response = await fetch(`${service.url}/v1/tools/${tool}/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=15' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as CallRun;
  }

  const sent = (): Json => model.requests.at(-1) ?? {};

  test('gets text, in one block, with the stop and the name of the model', async () => {
    expect(
      await ask({ systemPrompt: 'Brief.', temperature: 0.3 }, { text: 'hello', finish: 'stop' }),
    ).toMatchObject({
      role: 'assistant',
      content: text('hello'),
      model: 'the-model',
      stopReason: 'endTurn',
    });
    expect(sent()).toMatchObject({
      model: 'plain',
      temperature: 0.3,
      max_tokens: 50,
      messages: [
        { role: 'system', content: 'Brief.' },
        { role: 'user', content: 'Go' },
      ],
    });
  });

  test('chooses the model by hints and priorities', async () => {
    await ask({ modelPreferences: { hints: [{ name: 'nobody' }, { name: 'WISE' }] } });
    expect(sent()['model']).toBe('wise');
    await ask({ modelPreferences: { intelligencePriority: 1, costPriority: 0 } });
    expect(sent()['model']).toBe('wise');
    await ask({ modelPreferences: { hints: [{ name: 'claude-opus' }] } });
    expect(sent()['model']).toBe('wise');
  });

  test('sends tools, gets calls of them under its own names, and returns their results', async () => {
    const reply = await ask(
      { tools: TOOLS, toolChoice: { mode: 'required' } },
      { call: { name: WIRE_NAME, arguments: '{"q":"x"}' }, finish: 'tool_calls' },
    );
    expect(reply).toMatchObject({
      stopReason: 'toolUse',
      content: [{ type: 'tool_use', name: 'look.up', input: { q: 'x' } }],
    });
    expect(sent()).toMatchObject({
      tool_choice: 'required',
      tools: [{ function: { name: WIRE_NAME, parameters: { required: ['q'] } } }],
    });
    const { content } = reply as { readonly content: readonly [{ readonly id: string }] };
    const results = [{ type: 'tool_result', toolUseId: content[0].id, content: [text('found')] }];
    expect(
      await ask(
        {
          tools: TOOLS,
          messages: [user(text('Go')), { role: 'assistant', content }, user(results)],
        },
        { text: 'It is there.', finish: 'stop' },
      ),
    ).toMatchObject({ stopReason: 'endTurn', content: [text('It is there.')] });
    expect(sent()['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ function: { name: WIRE_NAME } }] },
      { role: 'tool', content: 'found' },
    ]);
  });

  test('sends images, and audio to a model with audio input', async () => {
    await ask({ messages: [user({ type: 'image', data: PNG, mimeType: 'image/png' })] });
    expect(sent()).toMatchObject({
      model: 'plain',
      messages: [
        { content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] },
      ],
    });
    await ask({ messages: [user({ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' })] });
    expect(sent()).toMatchObject({
      model: 'ears',
      messages: [
        { content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] },
      ],
    });
  });

  test.each<[string, Json, Said, Json]>([
    [
      'a stop sequence',
      { stopSequences: ['A', 'B', 'C', 'D', 'END'] },
      { text: 'one END two', finish: 'stop' },
      { stopReason: 'stopSequence', content: text('one ') },
    ],
    [
      'few tokens',
      { maxTokens: 1 },
      { text: 'o', finish: 'length' },
      { stopReason: 'maxTokens', content: text('o') },
    ],
    [
      'a refusal',
      {},
      { refusal: 'I will not.', finish: 'content_filter' },
      { stopReason: 'refusal', content: text('I will not.') },
    ],
  ])('gets a report of %s', async (_case, params, said, expected) => {
    expect(await ask(params, said)).toMatchObject(expected);
  });

  // The libraries of some servers do not even send the last of these.
  test.each<[string, Json, RegExp]>([
    ['tokens', { maxTokens: 0 }, /maxTokens|max_tokens|at least|positive/i],
    ['messages', { messages: [] }, /messages must not be empty/],
    [
      'the results of its calls',
      {
        tools: TOOLS,
        messages: [
          user(text('Go')),
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'c', name: 'look.up', input: {} }],
          },
          user(text('and?')),
        ],
      },
      /tool result is missing|tool_result blocks|internal error/,
    ],
  ])('is refused without %s, without a model call', async (_case, params, message) => {
    const answer = await ask(params);
    expect(answer).toEqual(expect.any(String));
    expect(answer).toMatch(message);
    expect(model.requests).toEqual([]);
  });

  test('that may not sample is refused, without a model call', async () => {
    expect(await ask({}, undefined, `denied-${id}`)).toMatch(/not allowed for this server/);
    expect(model.requests).toEqual([]);
  });
});
