import { describe, expect, test } from 'vitest';
import type { Block, LlmEvent, LlmProvider, StopReason } from '../ports/llm-provider.ts';
import { MessageBuilder } from './message-builder.ts';
import { parseScenarios } from './scripted/load-scenarios.ts';
import { ScriptedProvider } from './scripted/scripted-provider.ts';
import { systemClock } from '../system/system-clock.ts';
import { agentRequest, collect, finishOf, userText } from './testing/collect.ts';
import { type FakeTurn, type Reply, startFakeServer } from './testing/fake-wire.ts';
import { connect, WIRES } from './testing/provider-kinds.ts';

interface Example {
  readonly says: string;
  readonly turn: FakeTurn;
  readonly stop: StopReason;
  /** Content without ids, which are the provider's own. */
  readonly content: readonly unknown[];
}

const EXAMPLES: readonly Example[] = [
  {
    says: 'plain text',
    turn: { text: 'Hello there.\nSecond line.' },
    stop: 'end',
    content: [{ type: 'text', text: 'Hello there.\nSecond line.' }],
  },
  {
    says: 'text beyond ASCII',
    turn: { text: 'Grüße, 東京 🌦️👩‍👩‍👧!' },
    stop: 'end',
    content: [{ type: 'text', text: 'Grüße, 東京 🌦️👩‍👩‍👧!' }],
  },
  {
    says: 'reasoning before text',
    turn: { reasoning: 'Let me think.', text: 'Done.' },
    stop: 'end',
    content: [
      { type: 'reasoning', text: 'Let me think.' },
      { type: 'text', text: 'Done.' },
    ],
  },
  {
    says: 'parallel calls after text',
    turn: {
      text: 'Checking.',
      calls: [
        { id: 'call_a', name: 'wx__get', json: '{"city":"Oslo"}' },
        { id: 'call_b', name: 'wx__get', json: '{"city":"Łódź"}' },
      ],
    },
    stop: 'tool_use',
    content: [
      { type: 'text', text: 'Checking.' },
      { type: 'tool_use', name: 'wx__get', input: { city: 'Oslo' } },
      { type: 'tool_use', name: 'wx__get', input: { city: 'Łódź' } },
    ],
  },
  {
    says: 'a call without arguments',
    turn: { calls: [{ id: 'call_a', name: 'wx__list', json: '' }] },
    stop: 'tool_use',
    content: [{ type: 'tool_use', name: 'wx__list', input: {} }],
  },
  {
    says: 'a call with malformed arguments',
    turn: { calls: [{ id: 'call_a', name: 'wx__get', json: '{"city":' }] },
    stop: 'tool_use',
    content: [
      {
        type: 'tool_use',
        name: 'wx__get',
        input: {},
        rawInput: '{"city":',
        invalid: expect.stringContaining('not valid JSON') as string,
      },
    ],
  },
  {
    says: 'a call whose arguments are no object',
    turn: { calls: [{ id: 'call_a', name: 'wx__get', json: '["Oslo"]' }] },
    stop: 'tool_use',
    content: [
      {
        type: 'tool_use',
        name: 'wx__get',
        input: {},
        rawInput: '["Oslo"]',
        invalid: 'the arguments are not a JSON object',
      },
    ],
  },
  {
    says: 'a call cut by the token limit, though its arguments read as none',
    turn: {
      text: 'Checking.',
      calls: [{ id: 'call_a', name: 'wx__get', json: '' }],
      stop: 'max_tokens',
    },
    stop: 'max_tokens',
    content: [
      { type: 'text', text: 'Checking.' },
      {
        type: 'tool_use',
        name: 'wx__get',
        input: {},
        rawInput: '',
        invalid: expect.stringContaining('cut off') as string,
        isCut: true,
      },
    ],
  },
  {
    says: 'text cut by the token limit',
    turn: { text: 'And then', stop: 'max_tokens' },
    stop: 'max_tokens',
    content: [{ type: 'text', text: 'And then' }],
  },
];

/** Returns the same turn as a scenario. */
function scripted({ reasoning, text, calls = [], stop }: FakeTurn): LlmProvider {
  const emit = [
    ...(reasoning === undefined ? [] : [{ reasoning }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, json }) => ({ tool: name, rawInput: json })),
  ];
  const scenarios = parseScenarios(
    {
      version: 1,
      scenarios: [
        {
          name: 'one',
          title: 'One',
          prompt: 'Go',
          turns: [{ emit, ...(stop === undefined ? {} : { stop }) }],
        },
      ],
    },
    'test',
  );
  return new ScriptedProvider({
    scenarios: () => scenarios,
    clock: systemClock,
    random: () => 0,
    paced: true,
  });
}

function fold(events: readonly LlmEvent[], stop: StopReason): readonly Block[] {
  const builder = new MessageBuilder();
  for (const event of events) builder.add(event);
  return builder.build(stop).content;
}

/** Returns the guaranteed parts of a stream in a comparable form. */
function seenIn(events: readonly LlmEvent[]): unknown {
  const finish = finishOf(events);
  return {
    stop: finish.stop,
    content: finish.message.content.map((block) => ({ ...block, id: undefined })),
    isFold: JSON.stringify(fold(events, finish.stop)) === JSON.stringify(finish.message.content),
    first: events[0]?.type,
    starts: events.filter(({ type }) => type === 'start').length,
    finishes: events.filter(({ type }) => type === 'finish').length,
    callIndexes: events.flatMap((event) => (event.type === 'tool_start' ? [event.index] : [])),
  };
}

function expected({ stop, content, turn }: Example): unknown {
  return {
    stop,
    content,
    isFold: true,
    first: 'start',
    starts: 1,
    finishes: 1,
    callIndexes: (turn.calls ?? []).map((_, at) => at),
  };
}

const PIECES: readonly Partial<Reply>[] = [
  {},
  { chunkBytes: 1 },
  { chunkBytes: 7 },
  { chunkBytes: 64 },
  { chunkBytes: 33, lineEnd: '\r\n' },
];

describe.each(WIRES)('$api', (kind) => {
  test.each(EXAMPLES)('gives $says, however the bytes are split', async (example) => {
    await using server = await startFakeServer(kind.wire);
    for (const pieces of PIECES) {
      server.replies.push({ turn: example.turn, ...pieces });
      expect(seenIn(await collect(connect(kind, server), agentRequest([userText('Go')])))).toEqual(
        expected(example),
      );
    }
  });
});

describe('scripted', () => {
  test.each(EXAMPLES)('gives $says', async (example) => {
    expect(seenIn(await collect(scripted(example.turn), agentRequest([userText('Go')])))).toEqual(
      expected(example),
    );
  });
});
