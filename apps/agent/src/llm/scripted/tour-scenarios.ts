import { TOOL_FAILED } from './demo-parts.ts';
import type { ScenarioFile } from './scenario.ts';

/** Faster than the other demos, since the run has many turns. */
const PACE = { ttftMs: 150, tokensPerSec: 200 };

/** Question for the database; the scripted answer to the sampling request of the server. */
const BEST_SELLERS_QUESTION = 'Which products were sold most?';
const BEST_SELLERS = `SELECT p.name AS product, SUM(i.quantity) AS pieces
FROM order_items i JOIN products p ON p.id = i.product_id
GROUP BY p.id ORDER BY pieces DESC, p.name LIMIT 3`;

/** Lines of the list that are not empty and not a heading. */
const CITY_LINES = { pattern: String.raw`^[^#\s].*`, regex: true };

const PLAN = [
  'Show ${result.best.structuredContent.rows[0][0]}: ${result.best.structuredContent.rows[0][1]} pieces were sold. The best sellers: ${result.best.structuredContent.rows[*][0]}, with ${result.best.structuredContent.rows[*][1]} pieces.',
  'The stops, from the warmest: ${result.now.structuredContent.ranking[*].name}, with up to ${result.now.structuredContent.ranking[*].value} ${result.now.structuredContent.unit} today (${result.now.structuredContent.attribution}).',
].join('\n');

const COMPARISON =
  '${result.first.structuredContent.ranking[0].name} was the warmest stop of the first list: ${result.first_list.structuredContent.matches[*].text}.';

/** Longitudes of the places on the equator, 7 degrees apart. */
const LONGITUDES = Array.from({ length: 50 }, (_, index) => index * 7 - 175);

/**
 * Scenarios of the demo that work with all servers at once, or are cancelled. The first calls a tool
 * that uses the model, one that follows a file, and one that needs an approval.
 */
export const TOUR_SCENARIOS: ScenarioFile['scenarios'] = [
  {
    name: 'tour',
    title: 'Plan a tour with all servers',
    prompt:
      'Plan the sales tour through the cities in file:///home/ada/cities.txt, and follow the file',
    pace: PACE,
    turns: [
      {
        when: {
          lastUser: String.raw`sales tour .{0,60}cities in (file:\S{1,500}/)([^\s/,]{1,100})`,
          turn: 1,
          tools: [
            'filesystem__search_content',
            'filesystem__watch_resource',
            'filesystem__write_file',
            'sqlite__ask_database',
            'weather__weather_compare',
          ],
        },
        emit: [
          { text: 'I will read the list.' },
          {
            tool: 'filesystem__search_content',
            label: 'first_list',
            input: { path: '${1}${2}', ...CITY_LINES },
          },
        ],
      },
      {
        when: { toolResult: 'first_list' },
        emit: [
          {
            text: 'The stops are ${result.first_list.structuredContent.matches[*].text}. I will ask the database what sells best.',
          },
          {
            tool: 'sqlite__ask_database',
            label: 'best',
            input: { question: BEST_SELLERS_QUESTION },
          },
        ],
      },
      {
        when: {
          purpose: 'sampling',
          lastUser: String.raw`^Question: "Which products were sold most\?"`,
        },
        emit: [{ text: `\`\`\`sql\n${BEST_SELLERS}\n\`\`\`` }],
      },
      {
        when: { toolResult: 'best' },
        emit: [
          {
            text: '${result.best.structuredContent.rows[0][0]} sells best. I will compare the weather of the stops.',
          },
          {
            tool: 'weather__weather_compare',
            label: 'first',
            input: {
              locations: '${result.first_list.structuredContent.matches[*].text}',
              metric: 'temperature_max',
            },
          },
        ],
      },
      {
        when: { toolResult: 'first' },
        emit: [
          {
            text: '${result.first.structuredContent.ranking[0].name} is the warmest. Before I plan, I will wait for a change of the list.',
          },
          {
            tool: 'filesystem__watch_resource',
            label: 'change',
            input: { uri: '${1}${2}', seconds: 30 },
          },
        ],
      },
      {
        when: { toolResult: 'change' },
        emit: [
          { text: 'I will read the list again.' },
          {
            tool: 'filesystem__search_content',
            label: 'list',
            input: { path: '${1}${2}', ...CITY_LINES },
          },
        ],
      },
      {
        when: { toolResult: 'list' },
        emit: [
          {
            text: 'It has ${result.list.structuredContent.matches[*].text}. I will compare their weather.',
          },
          {
            tool: 'weather__weather_compare',
            label: 'now',
            input: {
              locations: '${result.list.structuredContent.matches[*].text}',
              metric: 'temperature_max',
            },
          },
        ],
      },
      {
        when: { toolResult: 'now' },
        emit: [
          { text: 'I will store the plan, if I may.' },
          {
            tool: 'filesystem__write_file',
            label: 'plan',
            input: { path: '${1}plan.md', content: `${PLAN}\n` },
          },
        ],
      },
      {
        when: { toolResult: 'plan' },
        emit: [
          {
            text: `${PLAN}\n${COMPARISON}\nThe plan is stored in plan.md (\${result.plan.structuredContent.bytes} bytes).`,
          },
        ],
      },
      {
        when: { toolResult: 'plan', toolError: true },
        emit: [{ text: `${PLAN}\n${COMPARISON}\nThe plan is not stored: \${error.text}` }],
      },
      { when: { toolError: true }, emit: [{ text: TOOL_FAILED }] },
    ],
  },
  {
    name: 'equator',
    title: 'Compare the weather of 50 places, to be cancelled',
    prompt: 'Where on the equator is it warmest?',
    pace: PACE,
    turns: [
      {
        when: {
          lastUser: String.raw`where on the equator is it warmest`,
          turn: 1,
          tools: ['weather__weather_compare'],
        },
        emit: [
          { text: 'I will compare 50 places on the equator.' },
          {
            tool: 'weather__weather_compare',
            label: 'equator',
            input: {
              locations: LONGITUDES.map((longitude) => `0,${longitude}`),
              metric: 'temperature_max',
            },
          },
        ],
      },
      {
        when: { toolResult: 'equator' },
        emit: [
          {
            text: 'It gets warmest at ${result.equator.structuredContent.ranking[0].name}: ${result.equator.structuredContent.ranking[0].value} ${result.equator.structuredContent.unit} (${result.equator.structuredContent.attribution}).',
          },
        ],
      },
      { when: { toolError: true }, emit: [{ text: TOOL_FAILED }] },
    ],
  },
];
