import { PACE, TOOL_FAILED } from './demo-parts.ts';
import { PRICE_SCENARIO } from './price-scenario.ts';
import type { ScenarioFile } from './scenario.ts';
import { TOUR_SCENARIOS } from './tour-scenarios.ts';

/** Folders of the workspaces in the root package.json. */
const PACKAGES =
  '{apps/*,libs/*,servers/*,examples/*,tests/conformance,tests/console,tests/e2e,tests/interop,tests/support/*,tools/create-server,tools/workspace,bench}';

const TOP_CUSTOMERS = `SELECT c.name AS customer, c.country, COUNT(DISTINCT o.id) AS orders, printf('%.2f', SUM(i.quantity * i.unit_price_cents) / 100.0) AS total
FROM customers c JOIN orders o ON o.customer_id = c.id JOIN order_items i ON i.order_id = o.id
GROUP BY c.id ORDER BY SUM(i.quantity * i.unit_price_cents) DESC, c.name LIMIT 3`;

const FAVOURITE_PRODUCT = `SELECT p.name AS product, SUM(i.quantity) AS bought
FROM customers c JOIN orders o ON o.customer_id = c.id JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id
WHERE c.name = ? GROUP BY p.id ORDER BY bought DESC, p.name LIMIT 1`;

// Every repetition in a pattern is bounded, since a search in a long prompt would be quadratic.
const PLACE = String.raw`(\p{L}[\p{L}.' -]{0,40}?)`;
const END = String.raw`[\s.!?]{0,5}$`;

/**
 * Scenarios that run without a model. Searches and SQL do the work; the texts quote their results.
 */
export const DEMO_SCENARIOS: ScenarioFile = {
  version: 1,
  scenarios: [
    {
      name: 'workspace',
      title: 'Explore this workspace',
      prompt: 'Which packages are in this workspace and which has the most source files?',
      pace: PACE,
      turns: [
        {
          when: {
            lastUser: 'packages?.{0,100}source files|most source files',
            turn: 1,
            tools: ['filesystem__search_files', 'filesystem__read_text_file'],
          },
          emit: [
            {
              reasoning:
                'The packages are the folders with a package.json; counting the TypeScript files below each folder gives the largest.',
            },
            { text: 'I will look for the packages and count their source files.' },
            {
              tool: 'filesystem__search_files',
              label: 'packages',
              input: {
                path: '.',
                pattern: `${PACKAGES}/package.json`,
                excludePatterns: ['**/node_modules/**'],
              },
            },
            {
              tool: 'filesystem__search_files',
              label: 'sources',
              input: {
                path: '.',
                pattern: `${PACKAGES}/src/**/*.ts`,
                excludePatterns: ['**/node_modules/**'],
                type: 'file',
                maxResults: 0,
                groupDepth: 2,
              },
            },
          ],
        },
        {
          when: { toolResult: 'sources' },
          emit: [
            {
              text: 'There are ${result.packages.structuredContent.total} packages. I will look into the one with the most source files.',
            },
            {
              tool: 'filesystem__read_text_file',
              label: 'manifest',
              input: {
                path: '${result.sources.structuredContent.groups[0].directory}/package.json',
                head: 10,
              },
            },
          ],
        },
        {
          when: { toolResult: 'manifest' },
          emit: [
            {
              text: [
                'This workspace has ${result.packages.structuredContent.total} packages: ${result.packages.structuredContent.matches[*]}.',
                '',
                'The most source files are in ${result.sources.structuredContent.groups[0].directory}: ${result.sources.structuredContent.groups[0].count} of ${result.sources.structuredContent.total} TypeScript files. From most to fewest: ${result.sources.structuredContent.groups[*].directory}.',
                '',
                'Its package.json begins:',
                '',
                '${result.manifest.text}',
              ].join('\n'),
            },
          ],
        },
        { when: { toolError: true }, emit: [{ text: TOOL_FAILED }] },
      ],
    },
    {
      name: 'customers',
      title: 'Query the demo database',
      prompt: 'Which customers bought most?',
      pace: PACE,
      turns: [
        {
          when: {
            lastUser: String.raw`customers?.{0,60}(?:bought|buy|spent|spend|order).{0,60}most|(?:best|top) (?:\w{1,20} )?customers?`,
            turn: 1,
            tools: ['sqlite__list_tables', 'sqlite__read_query'],
          },
          emit: [{ text: 'I will see which tables there are.' }, { tool: 'sqlite__list_tables' }],
        },
        {
          when: { toolResult: 'sqlite__list_tables' },
          emit: [
            {
              text: 'The tables are ${result.sqlite__list_tables.structuredContent.tables[*].name}. I will add up the orders of each customer.',
            },
            { tool: 'sqlite__read_query', label: 'top', input: { query: TOP_CUSTOMERS } },
          ],
        },
        {
          when: { toolResult: 'top' },
          emit: [
            {
              text: '${result.top.structuredContent.rows[0][0]} leads. I will look up what they buy most often.',
            },
            {
              tool: 'sqlite__read_query',
              label: 'favourite',
              input: {
                query: FAVOURITE_PRODUCT,
                params: ['${result.top.structuredContent.rows[0][0]}'],
              },
            },
          ],
        },
        {
          when: { toolResult: 'favourite' },
          emit: [
            {
              text: [
                '${result.top.structuredContent.rows[0][0]} (${result.top.structuredContent.rows[0][1]}) bought most: ${result.top.structuredContent.rows[0][3]} in ${result.top.structuredContent.rows[0][2]} orders.',
                'Most often they bought ${result.favourite.structuredContent.rows[0][0]}: ${result.favourite.structuredContent.rows[0][1]} pieces.',
                'The top ${result.top.structuredContent.rowCount}: ${result.top.structuredContent.rows[*][0]}, with totals of ${result.top.structuredContent.rows[*][3]}.',
              ].join('\n'),
            },
          ],
        },
        { when: { toolError: true }, emit: [{ text: TOOL_FAILED }] },
      ],
    },
    {
      name: 'weather',
      title: 'Compare the weather of 2 to 5 places',
      prompt: 'Compare the weather in Oslo, Lisbon and Cairo',
      pace: PACE,
      turns: [
        {
          when: {
            lastUser: `^(?:please )?(?:(?:compare|what is|what's|how is|how's) )?(?:the )?weather in ${PLACE}(?:, ${PLACE})?(?:, ${PLACE})?(?:, ${PLACE})?,? and ${PLACE}${END}`,
            turn: 1,
            tools: ['weather__weather_compare'],
          },
          emit: [
            { text: 'I will compare the highest temperatures.' },
            {
              tool: 'weather__weather_compare',
              label: 'compare',
              input: {
                locations: ['${1}', '${2}', '${3}', '${4}', '${5}'],
                metric: 'temperature_max',
              },
            },
          ],
        },
        {
          when: { toolResult: 'compare' },
          emit: [
            {
              text: 'It gets warmest in ${result.compare.structuredContent.ranking[0].name}: ${result.compare.structuredContent.ranking[0].value} ${result.compare.structuredContent.unit}.\n\n${result.compare.text}',
            },
          ],
        },
        { when: { toolError: true }, emit: [{ text: TOOL_FAILED }] },
      ],
    },
    {
      name: 'search',
      title: 'Search the files',
      prompt: 'Search for **/*.md',
      pace: PACE,
      turns: [
        {
          when: {
            lastUser: String.raw`^(?:please )?search (?:the files )?for ["']?([^\s"']{1,200}?)["']?[\s.!]{0,5}$`,
            turn: 1,
            tools: ['filesystem__search_files'],
          },
          emit: [
            { text: 'I will search everything below the first directory for ${1}.' },
            {
              tool: 'filesystem__search_files',
              label: 'search',
              input: { path: '.', pattern: '${1}' },
            },
          ],
        },
        {
          when: { toolResult: 'search' },
          emit: [
            {
              text: 'Looked at ${result.search.structuredContent.scanned} entries and found ${result.search.structuredContent.total} that match ${1}. The first of them: ${result.search.structuredContent.matches[0:10]}',
            },
          ],
        },
        { when: { toolError: true }, emit: [{ text: TOOL_FAILED }] },
      ],
    },
    PRICE_SCENARIO,
    ...TOUR_SCENARIOS,
  ],
};
