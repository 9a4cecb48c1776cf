import {
  ProtocolError,
  type CreateMessageParams,
  type CreateMessageResult,
} from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import type { ModelCard } from '../../ports/model-card.ts';
import type { RequestedToolRules } from '../../ports/tool-rules.ts';
import { modelCard } from '../../llm/catalogue/model-cards.ts';
import { SamplingTools } from './tool-names.ts';
import { callsThenAnswer, type Reply } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const PARAMS: CreateMessageParams = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Go' } }],
  maxTokens: 100,
};
const TOOL = {
  name: 'look.up',
  description: 'Looks up.',
  inputSchema: { type: 'object' as const, properties: { q: { type: 'string' } } },
};

/** Sends one sampling request; returns the response to the server and the request to the model. */
async function sample(
  params: Partial<CreateMessageParams>,
  {
    reply = { text: 'ok' },
    models = [],
    review = false,
    asks = false,
    toolRules = {},
  }: {
    readonly reply?: Reply;
    readonly models?: readonly ModelCard[];
    readonly review?: boolean;
    /** Whether a person approves the request. */
    readonly asks?: boolean;
    readonly toolRules?: RequestedToolRules;
  } = {},
) {
  let answer: CreateMessageResult | string = 'nothing';
  const agent = callsThenAnswer([[{ name: 'a__sum' }]]);
  const service: Service = await openService({
    script: (request, index) => (request.purpose === 'sampling' ? reply : agent(request, index)),
    tools: {
      a__sum: {
        annotations: READ_ONLY,
        call: async ({ inputHandlers }) => {
          const asked = inputHandlers.sample!(
            { ...PARAMS, ...params },
            { signal: new AbortController().signal, meta: {} },
          );
          answer = await asked.catch((error: unknown) =>
            error instanceof ProtocolError ? `${error.code} ${error.message}` : String(error),
          );
          return ok('');
        },
      },
    },
    policies: { a: { approval: 'auto', sampling: 'auto', samplingReview: review } },
  });
  service.llm.models = models;
  const { id } = await service.engine.createRun({ prompt: 'go', toolRules });
  if (review || asks)
    await service.engine.respond((await service.item(id)).id, { action: 'approve' });
  const run = await service.settled(id);
  return {
    answer: answer as CreateMessageResult | string,
    asked: service.llm.requests.filter(({ purpose }) => purpose === 'sampling'),
    run,
  };
}

function local(
  id: string,
  entry: NonNullable<Parameters<typeof modelCard>[0]['models']>[string] = {},
): ModelCard {
  return modelCard(
    {
      provider: 'openai',
      model: undefined,
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKey: undefined,
      scenario: undefined,
      models: { [id]: entry },
    },
    id,
  );
}

describe('tools of a sampling request', () => {
  test.each([
    [{ deny: ['a__look_up_*'] }],
    [{ allow: ['a__sum'] }],
    [{ approvals: [{ tools: 'a__look*', policy: 'deny' }] }],
  ] as const)('that the rules %j of the run exclude refuse the request', async (toolRules) => {
    const { asked, answer } = await sample({ tools: [TOOL] }, { toolRules });
    expect(answer).toBe('-1 The run of this call may not use all tools of the sampling request.');
    expect(asked).toEqual([]);
  });

  test('that the rules of the run exclude do not matter to a request without them', async () => {
    const { answer } = await sample({}, { toolRules: { allow: ['a__sum'] } });
    expect(answer).toMatchObject({ content: { type: 'text', text: 'ok' } });
  });

  test('that need an approval by the rules of the run need one for the request', async () => {
    const { asked } = await sample(
      { tools: [TOOL] },
      { toolRules: { approvals: [{ tools: 'a__look*', policy: 'ask' }] }, asks: true },
    );
    expect(asked).toHaveLength(1);
  });

  test("are sent to the model under valid names, and its calls are returned under the server's names", async () => {
    const reply = { text: 'Let me see.', calls: [{ name: 'look_up_cc6c68fa', input: { q: 'x' } }] };
    const { asked, answer } = await sample(
      { tools: [TOOL, { ...TOOL, name: 'plain' }], toolChoice: { mode: 'required' } },
      { reply: { ...reply, calls: [{ ...reply.calls[0]!, name: wireNameOf('look.up') }] } },
    );
    expect(asked[0]).toMatchObject({
      toolChoice: 'required',
      tools: [{ name: wireNameOf('look.up'), description: 'Looks up.' }, { name: 'plain' }],
    });
    expect(answer).toMatchObject({
      stopReason: 'toolUse',
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', name: 'look.up', input: { q: 'x' } },
      ],
    });
  });

  test('that the server executed are answered in the next request, under the same names', async () => {
    const messages: CreateMessageParams['messages'] = [
      ...PARAMS.messages,
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'look.up', input: { q: 'x' } }],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            toolUseId: 'c1',
            content: [{ type: 'text', text: 'found' }],
            isError: false,
          },
        ],
      },
    ];
    const { asked, answer } = await sample({ messages, tools: [TOOL] });
    expect(asked[0]?.messages[1]?.content).toEqual([
      { type: 'tool_use', id: 'c1', name: wireNameOf('look.up'), input: { q: 'x' } },
    ]);
    expect(asked[0]?.messages[2]?.content).toMatchObject([
      { type: 'tool_result', toolUseId: 'c1' },
    ]);
    expect(answer).toMatchObject({
      content: [{ type: 'text', text: 'ok' }],
      stopReason: 'endTurn',
    });
  });

  test('called with arguments that are not JSON are an error to the server', async () => {
    const { answer } = await sample(
      { tools: [TOOL] },
      {
        reply: {
          calls: [{ name: wireNameOf('look.up'), invalid: 'the arguments are not valid JSON' }],
        },
      },
    );
    expect(answer).toBe(
      '-32603 The model called the tool look.up, but the arguments are not valid JSON.',
    );
  });

  test('called in a truncated answer are left out, and the stop reason says that it was truncated', async () => {
    const { answer } = await sample(
      { tools: [TOOL] },
      {
        reply: {
          text: 'Well',
          calls: [{ name: wireNameOf('look.up'), invalid: 'cut off' }],
          stop: 'max_tokens',
        },
      },
    );
    expect(answer).toMatchObject({
      content: [{ type: 'text', text: 'Well' }],
      stopReason: 'maxTokens',
    });
  });

  test('are shown in a reply that a person reviews, and are sent to the server', async () => {
    const { answer } = await sample(
      { tools: [TOOL] },
      { reply: { calls: [{ name: wireNameOf('look.up'), input: { q: 'x' } }] }, review: true },
    );
    expect(answer).toMatchObject({
      stopReason: 'toolUse',
      content: [{ type: 'tool_use', name: 'look.up' }],
    });
  });
});

test('without tools the reply is one block without thinking', async () => {
  const { answer } = await sample({});
  expect(answer).toEqual({
    role: 'assistant',
    content: { type: 'text', text: 'ok' },
    model: 'fake-1',
    stopReason: 'endTurn',
  });
});

describe('stops', () => {
  test.each<[Reply['stop'], string]>([
    ['end', 'endTurn'],
    ['max_tokens', 'maxTokens'],
    ['context_full', 'maxTokens'],
    ['stop_sequence', 'stopSequence'],
    ['refusal', 'refusal'],
    ['other', 'other'],
  ])('%s is %s', async (stop, expected) => {
    expect(
      (
        await sample(
          { stopSequences: ['X'], temperature: 0.2 },
          { reply: { text: 'ok', ...(stop === undefined ? {} : { stop }) } },
        )
      ).answer,
    ).toMatchObject({ stopReason: expected });
  });

  test('the parameters reach the model: tokens, stop sequences, temperature, system prompt', async () => {
    const { asked } = await sample({
      stopSequences: ['X'],
      temperature: 0,
      systemPrompt: 'Brief.',
      maxTokens: 3,
    });
    expect(asked[0]).toMatchObject({
      stopSequences: ['X'],
      temperature: 0,
      system: 'Brief.',
      maxTokens: 3,
    });
  });

  test('parameters that the model did not get are reported to the server', async () => {
    expect(
      (await sample({}, { reply: { text: 'ok', warnings: ['no temperature'] } })).answer,
    ).toMatchObject({ _meta: { 'dev.signalbox/warnings': ['no temperature'] } });
  });
});

describe('the model of a sampling request', () => {
  const models = [
    local('fake-1'),
    local('big', { intelligence: 1 }),
    local('ears', { takes: { audio: true } }),
  ];

  test.each<[string, Partial<CreateMessageParams>, string]>([
    ["the run's without preferences", {}, 'fake-1'],
    ['the one of a hint', { modelPreferences: { hints: [{ name: 'big' }] } }, 'big'],
    ['the one of the priorities', { modelPreferences: { intelligencePriority: 0.9 } }, 'big'],
    [
      'one that hears, for audio',
      {
        messages: [
          { role: 'user', content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] },
        ],
      },
      'ears',
    ],
  ])('is %s', async (_case, params, model) => {
    expect((await sample(params, { models })).asked.map((request) => request.model)).toEqual([
      model,
    ]);
  });

  test('that supports the request is missing: an error, without a model call', async () => {
    const { answer, asked } = await sample(
      {
        messages: [
          { role: 'user', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } },
        ],
      },
      { models: [local('fake-1')] },
    );
    expect(answer).toBe(
      '-32603 No model of this host can take the request: its tools, images or audio, or its length.',
    );
    expect(asked).toEqual([]);
  });

  test('an image is sent to a model with image input', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
    const { asked } = await sample(
      { messages: [{ role: 'user', content: image }] },
      { models: [local('fake-1', { takes: { images: false } }), local('eyes')] },
    );
    expect(asked).toMatchObject([{ model: 'eyes', messages: [{ content: [image] }] }]);
  });
});

test('the cost of sampling is charged to the run', async () => {
  const { run } = await sample({});
  expect(run.usage).toMatchObject({ input: 30, output: 15 });
});

function wireNameOf(name: string): string {
  return new SamplingTools([{ name, inputSchema: { type: 'object' } }]).toWire(name);
}
