import { expect, test } from 'vitest';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import { rankTools } from './rank-tools.ts';
import { wordsOf } from './words.ts';

function tool(
  wireName: string,
  description: string,
  more: Partial<CatalogueTool> = {},
): CatalogueTool {
  const [server = '', name = ''] = wireName.split('__');
  return {
    wireName,
    server,
    name,
    description,
    inputSchema: { type: 'object' },
    annotations: {},
    trusted: false,
    ...more,
  };
}

const TOOLS = [
  tool('shop__list_orders', 'Lists the orders of a customer'),
  tool('shop__refundOrder', 'Gives the money of an order back'),
  tool('shop__stock', 'How many pieces there are', { title: 'Inventory levels' }),
  tool('files__read_file', 'Reads a file'),
  tool(
    'files__read_files',
    'Reads several files at once, in the order given, which may be an order of your choice',
  ),
  tool('mail__send', 'Sends a message', {
    inputSchema: { type: 'object', properties: { recipient: {}, attachment: {} } },
  }),
  tool('wx__forecast', '天気予報'),
];

const best = async (query: string): Promise<readonly string[]> =>
  (await rankTools(query, TOOLS)).map(({ wireName }) => wireName);

test.each([
  ['refund an order', 'shop__refundOrder'],
  ['orders', 'shop__list_orders'],
  ['read file', 'files__read_file'],
  ['inventory', 'shop__stock'],
  ['INVENTORIES', 'shop__stock'],
  ['attachment recipient', 'mail__send'],
  ['天気', 'wx__forecast'],
  ['refund', 'shop__refundOrder'],
  ['fore', 'wx__forecast'],
])('%j finds %s first', async (query, wireName) => {
  expect((await best(query))[0]).toBe(wireName);
});

test('words that match no tool, and an empty query, find nothing', async () => {
  expect(await best('submarine')).toEqual([]);
  expect(await best('  ?! ')).toEqual([]);
});

test('the ranking does not depend on the order of the tools, and equal ranks are sorted by name', async () => {
  const twins = ['b', 'c', 'a'].map((name) => tool(`s__${name}`, 'does the same'));
  expect((await rankTools('same', twins)).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  const forward = await rankTools('order read money', TOOLS);
  expect(await rankTools('order read money', TOOLS.toReversed())).toEqual(forward);
  expect(forward.length).toBeGreaterThan(2);
});

test('a tool with all words ranks above a tool with only a rare word', async () => {
  const tools = [
    tool('a__x', 'create invoice'),
    tool('a__y', 'create'),
    tool('a__z', 'zebra'),
    tool('a__w', 'create zebra invoice'),
  ];
  expect((await rankTools('create zebra', tools))[0]?.wireName).toBe('a__w');
});

test('a long description has no advantage, and stop words find nothing beside other words', async () => {
  const long = tool(
    'docs__learn',
    `Teaches how to create an issue. ${'To create on a page with an API you use this and that of the shop. '.repeat(200)}`,
  );
  const tools = [
    long,
    tool('hub__create_issue', 'Create a new issue in a repository'),
    tool('x__the', 'of the in on'),
  ];
  expect(
    (await rankTools('create an issue on the hub', tools)).map(({ wireName }) => wireName),
  ).toEqual(['hub__create_issue', 'docs__learn']);
  expect((await rankTools('of the', tools)).map(({ wireName }) => wireName)).toContain('x__the');
});

test('a misspelled long word is found', async () => {
  expect((await best('forcast'))[0]).toBe('wx__forecast');
});

test('names are split at capitals, digits are kept, and word endings are ignored', () => {
  expect(wordsOf('listOpenOrders_v2 queries classes Straße')).toEqual([
    'list',
    'open',
    'order',
    'v2',
    'query',
    'class',
    'straß',
  ]);
  for (const same of [
    'create creating created creation',
    'run running',
    'aggregate aggregation aggregations',
    'reply replies',
  ])
    expect(new Set(wordsOf(same)).size).toBe(1);
});
