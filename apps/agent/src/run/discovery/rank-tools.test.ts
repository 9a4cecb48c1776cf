import { expect, test } from 'vitest';
import type { CatalogueTool } from '../../ports/tool-registry.ts';
import { rankTools, wordsOf } from './rank-tools.ts';

function tool(wireName: string, description: string, more: Partial<CatalogueTool> = {}): CatalogueTool {
  const [server = '', name = ''] = wireName.split('__');
  return { wireName, server, name, description, inputSchema: { type: 'object' }, annotations: {}, trusted: false, ...more };
}

const TOOLS = [
  tool('shop__list_orders', 'Lists the orders of a customer'),
  tool('shop__refundOrder', 'Gives the money of an order back'),
  tool('shop__stock', 'How many pieces there are', { title: 'Inventory levels' }),
  tool('files__read_file', 'Reads a file'),
  tool('files__read_files', 'Reads several files at once, in the order given, which may be an order of your choice'),
  tool('mail__send', 'Sends a message', { inputSchema: { type: 'object', properties: { recipient: {}, attachment: {} } } }),
  tool('wx__forecast', '天気予報'),
];

const best = (query: string): readonly string[] => rankTools(query, TOOLS).map(({ wireName }) => wireName);

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
])('%j finds %s first', (query, wireName) => {
  expect(best(query)[0]).toBe(wireName);
});

test('words that no tool has find nothing, and an empty query finds nothing', () => {
  expect(best('submarine')).toEqual([]);
  expect(best('  ?! ')).toEqual([]);
});

test('the order does not depend on the order of the tools, and equal ones are sorted by name', () => {
  const twins = ['b', 'c', 'a'].map((name) => tool(`s__${name}`, 'does the same'));
  expect(rankTools('same', twins).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  const forward = rankTools('order read money', TOOLS);
  expect(rankTools('order read money', TOOLS.toReversed())).toEqual(forward);
  expect(forward.length).toBeGreaterThan(2);
});

test('a tool with all words stands before one with a rare word alone', () => {
  const tools = [tool('a__x', 'create invoice'), tool('a__y', 'create'), tool('a__z', 'zebra'), tool('a__w', 'create zebra invoice')];
  expect(rankTools('create zebra', tools)[0]?.wireName).toBe('a__w');
});

test('names are split at capitals, digits stay, plurals are one with their singular', () => {
  expect(wordsOf('listOpenOrders_v2 queries classes Straße')).toEqual(['list', 'open', 'order', 'v2', 'query', 'classe', 'straße']);
});
