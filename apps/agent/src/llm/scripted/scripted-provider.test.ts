import { describe, expect, test } from 'vitest';
import type { Message } from '../../ports/llm-provider.ts';
import type { Clock } from '../../ports/clock.ts';
import { systemClock } from '../../system/system-clock.ts';
import { agentRequest, callsOf, collect, finishOf, textOf, userText } from '../testing/collect.ts';
import { failure } from '../testing/failure.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { parseScenarios } from './load-scenarios.ts';
import type { ScenarioFile } from './scenario.ts';
import { ScriptedProvider } from './scripted-provider.ts';

type Turns = ScenarioFile['scenarios'][number]['turns'];

function provider(
  turns: Turns,
  options: { paced?: boolean; clock?: Clock } = {},
): ScriptedProvider {
  const scenarios = parseScenarios(
    { version: 1, scenarios: [{ name: 'demo', title: 'The demo', prompt: 'find cats', turns }] },
    'test',
  );
  return new ScriptedProvider({
    scenarios: () => scenarios,
    clock: options.clock ?? new FakeClock(),
    random: () => 0.5,
    paced: options.paced ?? false,
  });
}

function offered(...names: string[]) {
  return {
    tools: names.map((name) => ({ name, description: '', inputSchema: { type: 'object' } })),
  };
}

/** Answers every call of a message. */
function answer(
  message: Message,
  results: readonly { structuredContent?: unknown; text?: string; isError?: boolean }[],
): Message {
  return {
    role: 'user',
    content: callsOf(message).map((call, at) => ({
      type: 'tool_result',
      toolUseId: call.id,
      content: results[at]?.text === undefined ? [] : [{ type: 'text', text: results[at].text }],
      structuredContent: results[at]?.structuredContent,
      isError: results[at]?.isError ?? false,
    })),
  };
}

const TWO_STEPS: Turns = [
  {
    when: { lastUser: String.raw`find (\w+)`, turn: 1, tools: ['db__find'] },
    emit: [
      { reasoning: 'I need data.' },
      { text: 'Looking for ${1}.' },
      { tool: 'db__find', label: 'first', input: { what: '${1}' } },
      { tool: 'db__find', label: 'all', input: { what: '*' } },
    ],
  },
  {
    when: { toolResult: 'first' },
    emit: [{ tool: 'db__open', input: { id: '${result.first.structuredContent.ids[0]}' } }],
  },
  {
    when: { toolResult: 'db__open' },
    emit: [
      {
        text: '${1}: ${result.db__open.structuredContent.size} of ${result.all.structuredContent.total}.',
      },
    ],
  },
  { when: { toolError: true }, emit: [{ text: 'It failed in ${error.tool}: ${error.text}' }] },
];

describe('the prompt', () => {
  const play = async (messages: readonly Message[]) =>
    finishOf(await collect(provider(TWO_STEPS), agentRequest([...messages], offered('db__find'))))
      .message;
  const withText = (message: Message, text: string): Message => ({
    ...message,
    content: [...message.content, { type: 'text', text }],
  });

  test('may follow the results of a cancelled run in one message, whose errors are not its own', async () => {
    const prompt = userText('find cats');
    const first = await play([prompt]);
    const cancelled = answer(first, [{ isError: true, text: 'This call was cancelled.' }]);
    const next = await play([prompt, first, withText(cancelled, 'find dogs')]);
    expect(textOf(next)).toBe('Looking for dogs.');
  });

  test('is not a note of the service about attachments or changed tools', async () => {
    const note = '[The user attached artifacts. Read texts with artifact_read.]';
    const prompt = withText(userText('find cats'), note);
    const first = await play([prompt]);
    expect(textOf(first)).toBe('Looking for cats.');
    const results = answer(first, [
      { structuredContent: { ids: ['c7'] } },
      { structuredContent: { total: 90 } },
    ]);
    const news = '[Note of the service, not of the user: the tools have changed. added: x.]';
    const second = await play([prompt, first, withText(results, news)]);
    expect(callsOf(second)[0]?.input).toEqual({ id: 'c7' });
  });
});

describe('playing a scenario', () => {
  test('calls depend on earlier results, and the answer quotes them', async () => {
    const scripted = provider(TWO_STEPS);
    const messages: Message[] = [userText('Please find cats')];
    const first = finishOf(await collect(scripted, agentRequest(messages, offered('db__find'))));
    expect(first.stop).toBe('tool_use');
    expect(first.message.content.map(({ type }) => type)).toEqual([
      'reasoning',
      'text',
      'tool_use',
      'tool_use',
    ]);
    expect(textOf(first.message)).toBe('Looking for cats.');
    expect(callsOf(first.message).map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'db__find', input: { what: 'cats' } },
      { name: 'db__find', input: { what: '*' } },
    ]);

    messages.push(
      first.message,
      answer(first.message, [
        { structuredContent: { ids: ['c7'] } },
        { structuredContent: { total: 90 } },
      ]),
    );
    const second = finishOf(await collect(scripted, agentRequest(messages)));
    expect(callsOf(second.message)[0]?.input).toEqual({ id: 'c7' });

    messages.push(second.message, answer(second.message, [{ structuredContent: { size: 12 } }]));
    const third = finishOf(await collect(scripted, agentRequest(messages)));
    expect(third).toMatchObject({ stop: 'end', usage: { source: 'estimated' } });
    expect(textOf(third.message)).toBe('cats: 12 of 90.');
  });

  test('the same history gives the same events in another process, and ids differ within a conversation', async () => {
    const request = agentRequest([userText('find cats')], offered('db__find'));
    const events = await collect(provider(TWO_STEPS), request);
    expect(await collect(provider(TWO_STEPS), request)).toEqual(events);

    const first = finishOf(events).message;
    const again = [
      userText('find cats'),
      first,
      answer(first, [{}, {}]),
      { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
      userText('find dogs'),
    ] as const;
    const later = finishOf(
      await collect(provider(TWO_STEPS), agentRequest(again, offered('db__find'))),
    ).message;
    expect(new Set([...callsOf(first), ...callsOf(later)].map(({ id }) => id)).size).toBe(4);
    expect(callsOf(later)[0]?.input).toEqual({ what: 'dogs' });
  });

  test('a failed tool is quoted, even beside a successful tool', async () => {
    const scripted = provider(TWO_STEPS);
    const first = finishOf(
      await collect(scripted, agentRequest([userText('find cats')], offered('db__find'))),
    ).message;
    const history = [
      userText('find cats'),
      first,
      answer(first, [
        { structuredContent: { ids: ['c7'] } },
        { isError: true, text: 'disk on fire' },
      ]),
    ];
    const finish = finishOf(await collect(scripted, agentRequest(history)));
    expect(finish.stop).toBe('end');
    expect(textOf(finish.message)).toBe('It failed in db__find: disk on fire');
  });

  test('without a turn for errors, a failed tool is an error and never an answer', async () => {
    const scripted = provider(TWO_STEPS.slice(0, 3));
    const first = finishOf(
      await collect(scripted, agentRequest([userText('find cats')], offered('db__find'))),
    ).message;
    const history = [
      userText('find cats'),
      first,
      answer(first, [{ isError: true, text: 'x' }, {}]),
    ];
    const error = await failure(collect(scripted, agentRequest(history)));
    expect(error.message).toContain(
      'a tool result is an error, and the turn does not say "toolError": true',
    );
  });

  test('a call whose input is missing from the results is not made, and the text says so', async () => {
    const scripted = provider(TWO_STEPS);
    const first = finishOf(
      await collect(scripted, agentRequest([userText('find cats')], offered('db__find'))),
    ).message;
    const history = [
      userText('find cats'),
      first,
      answer(first, [{ structuredContent: { ids: [] } }, {}]),
    ];
    const finish = finishOf(await collect(scripted, agentRequest(history)));
    expect(finish.stop).toBe('end');
    expect(callsOf(finish.message)).toEqual([]);
    expect(textOf(finish.message)).toBe(
      'The script stops here: db__open cannot be called, because the earlier results hold no result.first.structuredContent.ids[0].',
    );
  });

  test('malformed arguments become an invalid call with their text', async () => {
    const finish = finishOf(
      await collect(
        provider([{ when: {}, emit: [{ tool: 'db__find', rawInput: '{"a":' }] }]),
        agentRequest([userText('x')]),
      ),
    );
    expect(callsOf(finish.message)[0]).toMatchObject({
      input: {},
      rawInput: '{"a":',
      invalid: expect.stringContaining('not valid JSON') as string,
    });
  });

  test('a turn may set its stop reason and usage', async () => {
    const finish = finishOf(
      await collect(
        provider([
          { emit: [{ tool: 'db__find' }], stop: 'max_tokens', usage: { input: 5, output: 7 } },
        ]),
        agentRequest([userText('x')]),
      ),
    );
    expect(finish).toMatchObject({
      stop: 'max_tokens',
      usage: { input: 5, output: 7, cacheRead: 0, source: 'reported' },
    });
    expect(callsOf(finish.message)[0]?.invalid).toContain('cut off');
  });
});

describe('choosing a turn', () => {
  test('a prompt that nothing matches is answered with the demos and how to set a key', async () => {
    const finish = finishOf(await collect(provider(TWO_STEPS), agentRequest([userText('hello')])));
    expect(finish.stop).toBe('end');
    expect(textOf(finish.message)).toContain('- The demo: "find cats"');
    expect(textOf(finish.message)).toContain('OPENAI_API_KEY or ANTHROPIC_API_KEY');
  });

  test('the demos are listed as playable only where their tools are offered', async () => {
    const listed = async (...names: string[]) =>
      textOf(
        finishOf(
          await collect(provider(TWO_STEPS), agentRequest([userText('hello')], offered(...names))),
        ).message,
      );
    expect(await listed('other')).toContain('- The demo: "find cats" (needs --demo)\n');
    expect(await listed('other', 'db__find')).toContain('- The demo: "find cats"\n');
  });

  test('a scenario whose tools are not offered says which', async () => {
    const error = await failure(
      collect(provider(TWO_STEPS), agentRequest([userText('find cats')], offered('other'))),
    );
    expect(error.kind).toBe('invalid');
    expect(error.message).toContain(
      'scenario "demo" cannot continue. Its nearest turn is number 1, but it needs tools that are not offered: db__find',
    );
    expect(error.message).toContain('--demo adds those of the demos');
  });

  test('sampling requests match only turns for sampling', async () => {
    const scripted = provider([
      { when: { lastUser: 'sum' }, emit: [{ text: 'agent' }] },
      { when: { lastUser: 'sum', purpose: 'sampling' }, emit: [{ text: 'sampled' }] },
    ]);
    expect(
      textOf(
        finishOf(await collect(scripted, agentRequest([userText('sum')], { purpose: 'sampling' })))
          .message,
      ),
    ).toBe('sampled');
    expect(textOf(finishOf(await collect(scripted, agentRequest([userText('sum')]))).message)).toBe(
      'agent',
    );
  });

  test("a sampling request without a matching turn is refused, because a server would take any text for the model's", async () => {
    const scripted = provider([
      { when: { lastUser: 'sum', purpose: 'sampling' }, emit: [{ text: 'sampled' }] },
    ]);
    const error = await failure(
      collect(scripted, agentRequest([userText('else')], { purpose: 'sampling' })),
    );
    expect(error).toMatchObject({
      kind: 'invalid',
      retryable: false,
      message: expect.stringMatching(
        /no script answers this sampling request.*Set OPENAI_API_KEY or ANTHROPIC_API_KEY/,
      ) as string,
    });
  });

  test('a turn is played once, and a scenario without further turns is an error', async () => {
    const scripted = provider([{ when: { lastUser: 'go' }, emit: [{ tool: 'db__find' }] }]);
    const first = finishOf(await collect(scripted, agentRequest([userText('go')]))).message;
    const error = await failure(
      collect(scripted, agentRequest([userText('go'), first, answer(first, [{}])])),
    );
    expect(error.message).toContain('every turn has been played');
  });

  test('hasToolResult and turn select the turn', async () => {
    const scripted = provider([
      { when: { hasToolResult: true }, emit: [{ text: 'after' }] },
      { when: { turn: 1 }, emit: [{ tool: 'db__find' }] },
    ]);
    const first = finishOf(await collect(scripted, agentRequest([userText('go')]))).message;
    expect(callsOf(first)).toHaveLength(1);
    expect(
      textOf(
        finishOf(
          await collect(scripted, agentRequest([userText('go'), first, answer(first, [{}])])),
        ).message,
      ),
    ).toBe('after');
  });

  test('an unanswered call in the history is refused by name', async () => {
    const first = finishOf(
      await collect(
        provider(TWO_STEPS),
        agentRequest([userText('find cats')], offered('db__find')),
      ),
    ).message;
    const error = await failure(
      collect(provider(TWO_STEPS), agentRequest([userText('find cats'), first, userText('well?')])),
    );
    expect(error.message).toContain(
      `the tool call "${callsOf(first)[0]?.id}" has no result in message 2`,
    );
  });
});

describe('time and faults', () => {
  const paced: Turns = [
    { emit: [{ text: 'one two three' }], pace: { ttftMs: 150, tokensPerSec: 40 } },
  ];

  test('a paced turn waits before the first delta and between deltas', async () => {
    const clock = new FakeClock();
    const events = await collect(
      provider(paced, { paced: true, clock }),
      agentRequest([userText('x')]),
    );
    expect(events.map(({ type }) => type)).toEqual(['start', 'text', 'text', 'text', 'finish']);
    expect(clock.waits).toEqual([150, 25, 25, 25]);
  });

  test('pacing can be switched off', async () => {
    const clock = new FakeClock();
    await collect(provider(paced, { clock }), agentRequest([userText('x')]));
    expect(clock.waits).toEqual([]);
  });

  test('an abort ends the turn between deltas', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const error = await failure(
      (async () => {
        for await (const event of provider(paced, { paced: true }).stream(
          agentRequest([userText('x')]),
          { signal: controller.signal },
        )) {
          seen.push(event.type);
          if (event.type === 'text') controller.abort();
        }
      })(),
    );
    expect(error.kind).toBe('aborted');
    expect(seen).toEqual(['start', 'text']);
  });

  test('an abort ends a wait at once', async () => {
    const slow: Turns = [{ emit: [{ text: 'late' }], pace: { ttftMs: 500_000 } }];
    const controller = new AbortController();
    const call = failure(
      collect(
        provider(slow, { paced: true, clock: systemClock }),
        agentRequest([userText('x')]),
        controller.signal,
      ),
    );
    setImmediate(() => controller.abort());
    expect((await call).kind).toBe('aborted');
  });

  test('a temporary failure is retried after its retry delay', async () => {
    const clock = new FakeClock();
    const events = await collect(
      provider([{ fail: { kind: 'rate', retryAfterMs: 2000, times: 2 }, emit: [{ text: 'ok' }] }], {
        clock,
      }),
      agentRequest([userText('x')]),
    );
    expect(textOf(finishOf(events).message)).toBe('ok');
    expect(clock.waits).toEqual([2000, 2000]);
  });

  test('a persistent failure is thrown after five attempts, a permanent failure at once', async () => {
    const clock = new FakeClock();
    const overloaded = await failure(
      collect(
        provider([{ fail: { kind: 'overloaded' } }], { clock }),
        agentRequest([userText('x')]),
      ),
    );
    expect(overloaded).toMatchObject({
      kind: 'overloaded',
      message: expect.stringContaining('failed after 5 attempts') as string,
    });
    expect(clock.waits).toEqual([250, 500, 1000, 2000]);
    expect(
      await failure(
        collect(
          provider([{ fail: { kind: 'auth', message: 'Bad key.' } }]),
          agentRequest([userText('x')]),
        ),
      ),
    ).toMatchObject({ kind: 'auth', message: expect.stringContaining('Bad key.') as string });
  });
});

test('the notice says that no model is configured and how to configure a model', () => {
  expect(provider(TWO_STEPS).info).toMatchObject({ provider: 'scripted', scripted: true });
  expect(provider(TWO_STEPS).info.notice).toMatch(
    /No model is configured.*OPENAI_API_KEY or ANTHROPIC_API_KEY/,
  );
});
