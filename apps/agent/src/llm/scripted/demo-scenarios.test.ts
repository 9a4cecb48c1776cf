import { expect, test } from 'vitest';
import type { Block, Message } from '../../ports/llm-provider.ts';
import { createLlmProvider } from '../provider.ts';
import { agentRequest, callsOf, collect, finishOf, textOf, userText } from '../testing/collect.ts';
import { DEMO_SCENARIOS } from './demo-scenarios.ts';

const TOOLS = [
  'filesystem__search_files',
  'filesystem__read_text_file',
  'filesystem__search_content',
  'filesystem__watch_resource',
  'filesystem__write_file',
  'sqlite__ask_database',
  'sqlite__list_tables',
  'sqlite__read_query',
  'sqlite__write_query',
  'weather__weather_compare',
].map((name) => ({ name, description: '', inputSchema: {} }));

const demos = createLlmProvider(
  {
    provider: 'scripted',
    model: undefined,
    baseUrl: undefined,
    apiKey: undefined,
    scenario: undefined,
  },
  { paced: false },
);

type Answers = (call: {
  readonly name: string;
  readonly input: { readonly [key: string]: unknown };
}) => { readonly structuredContent?: unknown; readonly text?: string; readonly isError?: boolean };

/** Plays a prompt to its end with made-up tools. Returns the calls and the answer. */
async function play(
  prompt: string,
  answers: Answers,
): Promise<{ calls: { name: string; input: unknown }[]; answer: string }> {
  const messages: Message[] = [userText(prompt)];
  const made: { name: string; input: unknown }[] = [];
  for (;;) {
    const { message, stop } = finishOf(
      await collect(demos, agentRequest(messages, { tools: TOOLS })),
    );
    if (stop !== 'tool_use') return { calls: made, answer: textOf(message) };
    const calls = callsOf(message);
    made.push(...calls.map(({ name, input }) => ({ name, input })));
    const content = calls.map((call): Block => {
      const { text, ...result } = answers(call);
      return {
        type: 'tool_result',
        toolUseId: call.id,
        content: text === undefined ? [] : [{ type: 'text', text }],
        ...result,
      };
    });
    messages.push(message, { role: 'user', content });
  }
}

test('workspace: the third call reads the manifest in the folder found by the second call', async () => {
  const { calls, answer } = await play(
    'Which packages are in this workspace and which has the most source files?',
    ({ name, input }) => {
      if (name === 'filesystem__read_text_file')
        return { text: '{\n  "name": "@x/core"', structuredContent: { path: input['path'] } };
      if (input['groupDepth'] === undefined)
        return {
          structuredContent: {
            matches: ['apps/agent/package.json', 'libs/core/package.json'],
            total: 2,
            groups: undefined,
          },
        };
      return {
        structuredContent: {
          matches: [],
          total: 61,
          groups: [
            { directory: 'libs/core', count: 40 },
            { directory: 'apps/agent', count: 21 },
          ],
        },
      };
    },
  );
  expect(calls.map(({ name }) => name)).toEqual([
    'filesystem__search_files',
    'filesystem__search_files',
    'filesystem__read_text_file',
  ]);
  expect(calls[2]?.input).toEqual({ path: 'libs/core/package.json', head: 10 });
  expect(answer).toContain('2 packages: apps/agent/package.json, libs/core/package.json');
  expect(answer).toContain('libs/core: 40 of 61 TypeScript files');
  expect(answer).toContain('"name": "@x/core"');
});

test('customers: the second query is bound to the name found by the first query', async () => {
  const { calls, answer } = await play('Which customers bought most?', ({ name, input }) => {
    if (name === 'sqlite__list_tables')
      return { structuredContent: { tables: [{ name: 'customers' }, { name: 'orders' }] } };
    if (input['params'] === undefined)
      return {
        structuredContent: {
          columns: [],
          rows: [
            ["Zoë O'Neil", 'IE', 4, '120.50'],
            ['Ada', 'UK', 2, '80.00'],
          ],
          rowCount: 2,
        },
      };
    return { structuredContent: { columns: [], rows: [['Lamp', 9]], rowCount: 1 } };
  });
  expect(calls.map(({ name }) => name)).toEqual([
    'sqlite__list_tables',
    'sqlite__read_query',
    'sqlite__read_query',
  ]);
  expect(calls[2]?.input).toMatchObject({ params: ["Zoë O'Neil"] });
  expect(answer).toContain("Zoë O'Neil (IE) bought most: 120.50 in 4 orders.");
  expect(answer).toContain('Lamp: 9 pieces');
  expect(answer).toContain("The top 2: Zoë O'Neil, Ada, with totals of 120.50, 80.00.");
});

test.each([
  ['Compare the weather in Oslo, Lisbon and Cairo', ['Oslo', 'Lisbon', 'Cairo']],
  ['What is the weather in Oslo and São Paulo?', ['Oslo', 'São Paulo']],
  ['weather in New York, Oslo, Rome, and St. John’s', undefined],
  [
    'compare weather in Oslo, Rome, Paris, Lima and Bern.',
    ['Oslo', 'Rome', 'Paris', 'Lima', 'Bern'],
  ],
])('weather: %s', async (prompt, locations) => {
  const { calls, answer } = await play(prompt, () => ({
    structuredContent: {
      unit: '°C',
      ranking: [{ rank: 1, query: 'Rome', name: 'Rome', value: 31.5 }],
    },
    text: 'All of it.',
  }));
  expect(answer).toContain(
    locations === undefined
      ? 'Try one of these prompts'
      : 'It gets warmest in Rome: 31.5 °C.\n\nAll of it.',
  );
  expect(calls).toEqual(
    locations === undefined
      ? []
      : [{ name: 'weather__weather_compare', input: { locations, metric: 'temperature_max' } }],
  );
});

test('search: the pattern comes from the prompt, and the answer has the counts', async () => {
  const { calls, answer } = await play('Search for "**/*.md"', () => ({
    structuredContent: { matches: ['a.md', 'b.md'], total: 2, scanned: 500 },
  }));
  expect(calls).toEqual([
    { name: 'filesystem__search_files', input: { path: '.', pattern: '**/*.md' } },
  ]);
  expect(answer).toBe(
    'Looked at 500 entries and found 2 that match **/*.md. The first of them: a.md, b.md',
  );
});

test('price: a query that fails is corrected, and the change has the price of the prompt', async () => {
  const playPrice = (change: ReturnType<Answers>) =>
    play('Raise the price of the Brass Chair to 300', ({ name, input }) => {
      if (name === 'sqlite__write_query') return change;
      if (String(input['query']).includes('name, price FROM'))
        return { isError: true, text: 'no such column: price' };
      return { structuredContent: { rows: [['Brass Chair', '158.50']] } };
    });
  const changed = await playPrice({ structuredContent: { rows: [['Brass Chair', '300.00']] } });
  expect(changed.calls.map(({ name }) => name)).toEqual([
    'sqlite__read_query',
    'sqlite__read_query',
    'sqlite__write_query',
  ]);
  expect(changed.calls[2]?.input).toMatchObject({ params: ['300', 'Brass Chair'] });
  expect(changed.answer).toBe('The Brass Chair now costs 300.00, after 158.50.');
  const denied = await playPrice({ isError: true, text: 'a person denied the call' });
  expect(denied.answer).toBe('The Brass Chair still costs 158.50: a person denied the call');
});

test('tour: the answer follows the second list, and says whether the plan was stored', async () => {
  let read = 0;
  const lists = [
    ['Rome', 'Oslo'],
    ['Paris', 'Rome'],
  ];
  const answers =
    (plan: ReturnType<Answers>): Answers =>
    ({ name, input }) => {
      if (name === 'filesystem__write_file') return plan;
      if (name === 'filesystem__search_content')
        return {
          structuredContent: { matches: lists[read++]!.map((text) => ({ text })) },
        };
      if (name === 'sqlite__ask_database')
        return {
          structuredContent: {
            rows: [
              ['Lamp', 9],
              ['Bowl', 4],
            ],
          },
        };
      const places = (input['locations'] ?? []) as readonly string[];
      return {
        structuredContent: {
          unit: '°C',
          attribution: 'made-up',
          ranking: places.map((place, index) => ({ name: place, value: 20 - index })),
        },
      };
    };
  const stored = await play(
    'Plan the sales tour through the cities in file:///d/cities.txt, and follow the file',
    answers({ structuredContent: { bytes: 5 } }),
  );
  expect(stored.calls.slice(3, 5)).toEqual([
    {
      name: 'filesystem__watch_resource',
      input: { uri: 'file:///d/cities.txt', seconds: 30 },
    },
    {
      name: 'filesystem__search_content',
      input: { path: 'file:///d/cities.txt', pattern: String.raw`^[^#\s].*`, regex: true },
    },
  ]);
  const plan = [
    'Show Lamp: 9 pieces were sold. The best sellers: Lamp, Bowl, with 9, 4 pieces.',
    'The stops, from the warmest: Paris, Rome, with up to 20, 19 °C today (made-up).',
  ].join('\n');
  expect(stored.calls.at(-1)).toEqual({
    name: 'filesystem__write_file',
    input: { path: 'file:///d/plan.md', content: `${plan}\n` },
  });
  expect(stored.answer).toBe(
    `${plan}\nRome was the warmest stop of the first list: Rome, Oslo.\nThe plan is stored in plan.md (5 bytes).`,
  );
  read = 0;
  const denied = await play(
    'Plan the sales tour through the cities in file:///d/cities.txt, and follow the file',
    answers({ isError: true, text: 'the user said no' }),
  );
  expect(denied.answer).toMatch(/^Show Lamp: .*\nThe plan is not stored: the user said no$/s);
});

test.each(DEMO_SCENARIOS.scenarios.map(({ name, prompt }) => [name, prompt] as const))(
  '%s: a tool that fails is quoted',
  async (_, prompt) => {
    const { answer } = await play(prompt, () => ({ isError: true, text: 'the disk is on fire' }));
    expect(answer).toMatch(
      /^The tool \w+ failed, so there is no answer\. It said: the disk is on fire$/,
    );
  },
);

test.each([
  'Which npm packages are most often attacked, and what is their source?',
  'Which customers complained most?',
  'Search for TODO comments in the sources',
  'I search for a word that rhymes with "and"',
  'Write a poem about the weather in Oslo and Bergen that begins with rain',
])('a prompt that no demo covers does not match a demo: %s', async (prompt) => {
  const { calls, answer } = await play(prompt, () => ({ text: 'never asked' }));
  expect(calls).toEqual([]);
  expect(answer).toContain('Try one of these prompts');
});

test.each([
  'weather in a and ',
  'package ',
  'most customers best ',
  'search for ',
  'weather in a and b          ',
])('a prompt of 200 000 characters of %j is matched in time', (part) => {
  const before = process.threadCpuUsage();
  for (const { turns } of DEMO_SCENARIOS.scenarios) {
    for (const { when } of turns)
      if (when?.lastUser !== undefined)
        new RegExp(when.lastUser, 'iu').test(
          `${part.repeat(200_000 / part.length)}${' '.repeat(10_000)}1`,
        );
  }
  expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
});

test('every demo matches its own example prompt only', async () => {
  for (const { prompt } of DEMO_SCENARIOS.scenarios) {
    const meant = DEMO_SCENARIOS.scenarios.filter(({ turns }) =>
      turns.some(
        ({ when }) => when?.lastUser !== undefined && new RegExp(when.lastUser, 'iu').test(prompt),
      ),
    );
    expect(meant.map((scenario) => scenario.prompt)).toEqual([prompt]);
  }
});
