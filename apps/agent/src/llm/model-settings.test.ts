import { describe, expect, test } from 'vitest';
import type { LlmConfig } from '../config/config.ts';
import type { LlmRequest } from '../ports/llm-provider.ts';
import { parseScenarios } from './scripted/load-scenarios.ts';
import { ScriptedProvider } from './scripted/scripted-provider.ts';
import { systemClock } from '../system/system-clock.ts';
import { agentRequest, collect, finishOf, userText } from './testing/collect.ts';
import { startFakeServer } from './testing/fake-wire.ts';
import { connect, type WireKind, WIRES } from './testing/provider-kinds.ts';

interface Target {
  readonly model: string;
  readonly models?: LlmConfig['models'];
}

/** A model of each API that takes a temperature. */
const WARM: { readonly [api in WireKind['api']]: Target } = {
  responses: { model: 'gpt-4.1' },
  chat: { model: 'qwen3:8b' },
  messages: { model: 'local-claude', models: { 'local-claude': { takes: { temperature: true } } } },
};

/** A model of each API that takes an effort. */
const THINKING: { readonly [api in WireKind['api']]: Target } = {
  responses: { model: 'gpt-6.1-sol' },
  chat: {
    model: 'gpt-oss:20b',
    models: { 'gpt-oss:20b': { takes: { efforts: ['low', 'medium', 'high'] } } },
  },
  messages: {
    model: 'claude-opus-5',
    models: { 'claude-opus-5': { takes: { efforts: ['low', 'medium', 'high'] } } },
  },
};

/** Returns the body and the warnings of one request, which the strict fake API accepted. */
async function send(kind: WireKind, rest: Partial<LlmRequest>, target: Target) {
  await using server = await startFakeServer(kind.wire);
  server.replies.push({ turn: { text: 'ok' } });
  const events = await collect(
    connect(kind, server, { config: target }),
    agentRequest([userText('Hi')], rest),
  );
  expect(finishOf(events).stop).toBe('end');
  return {
    body: server.seen[0]?.body ?? {},
    warnings: events.flatMap((event) => (event.type === 'warning' ? [event.message] : [])),
  };
}

const effortIn = ({ reasoning, reasoning_effort, output_config }: Record<string, unknown>) =>
  (reasoning as { effort?: string } | undefined)?.effort ??
  (output_config as { effort?: string } | undefined)?.effort ??
  reasoning_effort;

describe.each(WIRES)('$api', (kind) => {
  test('sends the temperature to a model that takes it, and no default', async () => {
    const { body, warnings } = await send(kind, { temperature: 0 }, WARM[kind.api]);
    expect(body['temperature']).toBe(0);
    expect(warnings).toEqual([]);
    expect((await send(kind, {}, WARM[kind.api])).body).not.toHaveProperty('temperature');
  });

  test('leaves out a temperature or an effort that the model does not take, with a warning', async () => {
    const limit = kind.api === 'messages' ? 1 : 2;
    const { body, warnings } = await send(
      kind,
      { temperature: limit + 0.5, effort: 'xhigh' },
      WARM[kind.api],
    );
    expect(body).not.toHaveProperty('temperature');
    expect(effortIn(body)).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringContaining(`takes a temperature of at most ${limit}`),
      expect.stringContaining('does not take the effort "xhigh"'),
    ]);
  });

  test.each(['low', 'high'] as const)(
    'sends the effort %s to a model that takes it',
    async (effort) => {
      const { body, warnings } = await send(kind, { effort }, THINKING[kind.api]);
      expect(effortIn(body)).toBe(effort);
      expect(warnings).toEqual([]);
      expect(effortIn((await send(kind, {}, THINKING[kind.api])).body)).toBeUndefined();
    },
  );

  test('sends the maximum of output tokens', async () => {
    const { body } = await send(kind, { maxTokens: 77 }, WARM[kind.api]);
    expect(body['max_output_tokens'] ?? body['max_tokens']).toBe(77);
  });
});

test.each(WIRES.filter(({ api }) => api !== 'chat'))(
  'a reasoning model on $api takes no temperature',
  async (kind) => {
    const { body, warnings } = await send(kind, { temperature: 1 }, THINKING[kind.api]);
    expect(body).not.toHaveProperty('temperature');
    expect(warnings).toEqual([expect.stringContaining('takes no temperature')]);
  },
);

test('the scripted provider has no card, so no setting is accepted for it', () => {
  const scenarios = parseScenarios(
    { version: 1, scenarios: [{ name: 'one', title: 'One', prompt: 'Go', turns: [{ emit: [] }] }] },
    'test',
  );
  const provider = new ScriptedProvider({
    scenarios: () => scenarios,
    clock: systemClock,
    random: () => 0,
    paced: true,
  });
  expect(provider.card()).toBeUndefined();
});
