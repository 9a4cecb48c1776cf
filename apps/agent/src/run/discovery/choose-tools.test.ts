import { expect, test } from 'vitest';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import { chooseTools, MAX_TOOL_TOKENS, specOf, tokensOf } from './choose-tools.ts';

function server(name: string, count: number, characters: number): readonly CatalogueTool[] {
  return Array.from({ length: count }, (_, at) => ({
    wireName: `${name}__t${at}`,
    server: name,
    name: `t${at}`,
    description: 'x'.repeat(characters),
    inputSchema: { type: 'object' },
    annotations: {},
    trusted: false,
  }));
}

const servers = (tools: readonly CatalogueTool[]): readonly string[] => [
  ...new Set(tools.map((tool) => tool.server)),
];

test('whole servers are chosen, the smallest first, up to the limit', () => {
  const [large, middle, small] = [
    server('large', 40, 2000),
    server('middle', 10, 2000),
    server('small', 3, 20),
  ];
  const { direct, others } = chooseTools([...large, ...middle, ...small], Infinity);
  expect(servers(direct)).toEqual(['middle', 'small']);
  expect(others).toEqual(large);
  expect(direct.reduce((sum, tool) => sum + tokensOf(specOf(tool)), 0)).toBeLessThan(
    MAX_TOOL_TOKENS,
  );
});

test('a tenth of a small context is the limit', () => {
  const tools = server('a', 10, 400);
  expect(chooseTools(tools, 128_000).others).toEqual([]);
  expect(chooseTools(tools, 8_000).direct).toEqual([]);
});

test('a large context does not raise the limit', () => {
  expect(chooseTools(server('a', 100, 1000), 2_000_000).direct).toEqual([]);
});

test('the choice does not depend on the order of the tools', () => {
  const tools = [...server('b', 60, 100), ...server('a', 60, 100), ...server('c', 60, 100)];
  expect(servers(chooseTools(tools, Infinity).direct).toSorted()).toEqual(['a', 'b']);
  expect(servers(chooseTools(tools.toReversed(), Infinity).direct).toSorted()).toEqual(['a', 'b']);
});
