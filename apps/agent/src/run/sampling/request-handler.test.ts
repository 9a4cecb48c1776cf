import { ProtocolError, type CreateMessageParams, type JsonObject } from '@signalbox/mcp-core';
import type { InputContext } from '@signalbox/mcp-core/client';
import { describe, expect, test } from 'vitest';
import type { ServerPolicy } from '../core/server-policy.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';

const IMAGE = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
const PARAMS: CreateMessageParams = {
  messages: [
    { role: 'user', content: { type: 'text', text: 'My password is hunter2' } },
    { role: 'user', content: [{ type: 'text', text: 'Summarise' }, IMAGE] },
  ],
  systemPrompt: 'short',
  maxTokens: 100,
};

/** A service with a server that asks the model so often in one call, and the answers that it got. */
async function sampled(
  policy: Partial<ServerPolicy>,
  {
    times = 1,
    options = {},
    context = {},
  }: {
    readonly times?: number;
    readonly options?: Partial<ServiceOptions>;
    readonly context?: Partial<InputContext>;
  } = {},
) {
  const answers: string[] = [];
  const agent = callsThenAnswer([[{ name: 'a__sum' }]]);
  const service = await openService({
    script: (request, index) =>
      request.purpose === 'sampling' ? { text: 'a summary' } : agent(request, index),
    tools: {
      a__sum: {
        annotations: READ_ONLY,
        call: async ({ inputHandlers }) => {
          for (let count = 0; count < times; count += 1) {
            const answer = inputHandlers.sample!(PARAMS, {
              signal: new AbortController().signal,
              meta: {},
              ...context,
            });
            answers.push(
              await answer.then(
                (result) => JSON.stringify(result.content),
                (error: unknown) =>
                  error instanceof ProtocolError ? `${error.code} ${error.message}` : String(error),
              ),
            );
          }
          return ok('');
        },
      },
    },
    policies: { a: { approval: 'auto', sampling: 'ask', ...policy } },
    ...options,
  });
  return { service, answers };
}

const asked = (service: Service) =>
  service.llm.requests.filter((request) => request.purpose === 'sampling');

describe('a sampling request edited by a person', () => {
  test('is sent to the model with the edits', async () => {
    const { service, answers } = await sampled({});
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'Summarise in Latin' }, IMAGE] },
    ];
    await service.engine.respond((await service.item(id)).id, {
      action: 'approve',
      content: { messages, system_prompt: 'shorter', max_tokens: 10 },
    });
    await service.settled(id);
    expect(asked(service)).toMatchObject([{ system: 'shorter', maxTokens: 10, messages }]);
    expect(JSON.stringify(asked(service))).not.toContain('hunter2');
    expect(answers).toEqual(['{"type":"text","text":"a summary"}']);
    expect(
      (await service.read.audit({ after: 0, limit: 10 })).map(
        ({ kind, decision, outcome }) => `${kind} ${decision ?? outcome}`,
      ),
    ).toEqual([
      'tool_call allowed',
      'sampling_approval asked',
      'sampling_approval approved_with_changes',
      'sampling_approval succeeded',
      'tool_call succeeded',
    ]);
  });

  test.each<[JsonObject, string]>([
    [{ max_tokens: 101 }, 'content.max_tokens: must be a whole number from 1 to 100'],
    [{ max_tokens: 0 }, 'content.max_tokens: must be a whole number from 1 to 100'],
    [{ system_prompt: 7 }, 'content.system_prompt: must be a string'],
    [{ messages: [] }, 'content.messages: must be a list of at least one message'],
    [
      { messages: [{ role: 'system', content: { type: 'text', text: 'x' } }] },
      'content.messages.0: must be an object with the role user or assistant, and content',
    ],
    [
      { messages: [{ role: 'user', content: [] }] },
      'content.messages.0.content: must be text, or a part of the request as it was',
    ],
    [
      { messages: [{ role: 'user', content: { ...IMAGE, data: 'BBBB' } }] },
      'content.messages.0.content: must be text, or a part of the request as it was',
    ],
    [{ system_prompt: 'x'.repeat(200_001) }, 'content: must not be longer than 200000 characters'],
    [
      { model: 'bigger' },
      'content.model: cannot be changed; system_prompt, messages and max_tokens can',
    ],
  ])('with an invalid edit is refused with the field: %.60j', async (content, message) => {
    const { service } = await sampled({});
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(id);
    await expect(
      service.engine.respond(item.id, { action: 'approve', content }),
    ).rejects.toMatchObject({ code: 'invalid_response', message });
    await expect(
      service.engine.respond(item.id, { action: 'deny', content }),
    ).rejects.toMatchObject({ code: 'invalid_response' });
    await service.engine.respond(item.id, { action: 'deny' });
    await service.settled(id);
    expect(asked(service)).toEqual([]);
  });
});

describe('with review of replies', () => {
  async function reviewed(response: JsonObject): Promise<string | undefined> {
    const { service, answers } = await sampled({ sampling: 'auto', samplingReview: true });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(id);
    expect(item).toMatchObject({
      kind: 'sampling_reply',
      request: { server: 'a', text: 'a summary', model: 'fake-1', stop_reason: 'endTurn' },
    });
    expect(answers).toEqual([]);
    await service.engine.respond(item.id, response);
    await service.settled(id);
    return answers[0];
  }

  test('the server gets the reply when a person approves it', async () => {
    expect(await reviewed({ action: 'approve' })).toBe('{"type":"text","text":"a summary"}');
  });

  test('the server gets the edited reply', async () => {
    expect(await reviewed({ action: 'approve', content: { text: 'nothing secret' } })).toBe(
      '{"type":"text","text":"nothing secret"}',
    );
  });

  test('the server gets an error when a person denies it', async () => {
    expect(await reviewed({ action: 'deny' })).toBe('-1 User rejected the reply of the model');
  });

  test('the request needs approval first when both are configured', async () => {
    const { service, answers } = await sampled({ sampling: 'ask', samplingReview: true });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const request = await service.item(id);
    expect(request.kind).toBe('sampling_approval');
    await service.engine.respond(request.id, { action: 'approve' });
    const reply = await service.until(async () =>
      (await service.read.inboxItems({ runId: id, state: 'open' })).find(
        ({ kind }) => kind === 'sampling_reply',
      ),
    );
    await expect(
      service.engine.respond(reply.id, { action: 'approve', content: { text: 7 } }),
    ).rejects.toMatchObject({ message: 'content.text: must be a string' });
    await expect(
      service.engine.respond(reply.id, { action: 'approve', content: { text: 'x', model: 'y' } }),
    ).rejects.toMatchObject({ message: 'content.model: cannot be changed; text can' });
    await service.engine.respond(reply.id, { action: 'approve' });
    await service.settled(id);
    expect(answers).toHaveLength(1);
  });

  test('an expired review is an error', async () => {
    const { service, answers } = await sampled({ sampling: 'auto', samplingReview: true });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.item(id);
    service.clock.advance(86_400_000);
    await service.settled(id);
    expect(answers).toEqual(['-1 Nobody approved the reply of the model in time.']);
  });

  test('a reply that a parked call already showed is not requested from the model again', async () => {
    const context = { key: 'thought' };
    const { service, answers } = await sampled(
      { sampling: 'auto', samplingReview: true },
      { times: 2, context },
    );
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.engine.respond((await service.item(id)).id, { action: 'approve' });
    await service.settled(id);
    expect(answers).toEqual([
      '{"type":"text","text":"a summary"}',
      '{"type":"text","text":"a summary"}',
    ]);
    expect(asked(service)).toHaveLength(1);
  });
});

test.each<[string, Partial<ServerPolicy>, string]>([
  ['request', { sampling: 'ask' }, '-1 User rejected sampling request'],
  ['reply', { samplingReview: true }, '-1 User rejected the reply of the model'],
])(
  'a %s that a person denied stays denied for a parked call, whatever the configuration after a restart',
  async (_what, policy, refusal) => {
    const policies: { [server: string]: ServerPolicy } = {
      a: { approval: 'auto', sampling: 'auto', ...policy },
    };
    const { service, answers } = await sampled(
      {},
      { times: 2, context: { key: 'thought' }, options: { policies } },
    );
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(id);
    policies['a'] = { approval: 'auto', sampling: 'auto' };
    await service.engine.respond(item.id, { action: 'deny' });
    await service.settled(id);
    expect(answers).toEqual([refusal, refusal]);
  },
);

test.each([
  ['auto', ['policy allowed', 'service succeeded']],
  ['deny', ['policy denied']],
] as const)(
  'a request that the configuration decides (%s) is in the audit',
  async (sampling, expected) => {
    const { service } = await sampled({ sampling });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.settled(id);
    const entries = (await service.read.audit({ runId: id, after: 0, limit: 10 })).filter(
      ({ kind }) => kind === 'sampling_approval',
    );
    expect(entries.map(({ who, decision, outcome }) => `${who} ${decision ?? outcome}`)).toEqual(
      expected,
    );
  },
);

test('a server gets at most as many sampling replies in a run as the run has turns, over all of its calls', async () => {
  const { service, answers } = await sampled({ sampling: 'auto' }, { times: 3 });
  const { id } = await service.engine.createRun({ prompt: 'go', limits: { turns: 2 } });
  await service.settled(id);
  expect(answers).toEqual([
    '{"type":"text","text":"a summary"}',
    '{"type":"text","text":"a summary"}',
    '-1 This server used all of its 2 sampling requests in this run.',
  ]);
  expect(asked(service)).toHaveLength(2);
});
