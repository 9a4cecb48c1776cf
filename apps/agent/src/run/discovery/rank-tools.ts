import type MiniSearch from 'minisearch';
import { isPlainObject } from '../../json/plain-object.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import { isStopWord, wordsOf } from './words.ts';

/** Searched fields of a tool and the weight of a word in each. */
const BOOST = { name: 3, title: 2, server: 2, description: 1, parameters: 0.5 } as const;
const FIELDS = Object.keys(BOOST) as (keyof typeof BOOST)[];
/**
 * Longest searched part of a description, in characters. Descriptions begin with the purpose of the
 * tool.
 */
const MAX_DESCRIPTION = 1000;
const MIN_PREFIX = 3;
const MIN_FUZZY = 6;

interface ToolIndex {
  readonly tools: readonly CatalogueTool[];
  readonly search: MiniSearch;
}

/** Index of the last search, kept because the same tools are searched repeatedly. */
let lastIndex:
  | { readonly tools: readonly CatalogueTool[]; readonly index: Promise<ToolIndex> }
  | undefined;

/**
 * Returns the tools that fit the words of the query, the best first: BM25 over name, title, server, description and parameter names, so that rare words count more and long texts do not win by
 * their length. Tools that have more of the words come first; stop words count only where the query has no others. Equal tools are in the order of their wire names.
 */
export async function rankTools(
  query: string,
  tools: readonly CatalogueTool[],
): Promise<readonly CatalogueTool[]> {
  const words = [...new Set(wordsOf(query))];
  const wanted = words.filter((word) => !isStopWord(word));
  const index = await indexOf(tools);
  const found = index.search.search((wanted.length === 0 ? words : wanted).join(' '), {
    boost: BOOST,
    prefix: (word) => word.length >= MIN_PREFIX,
    fuzzy: (word) => (word.length >= MIN_FUZZY ? 0.2 : false),
    weights: { prefix: 0.4, fuzzy: 0.2 },
  });
  return found
    .flatMap(({ id, score }) => {
      const tool = index.tools[id as number];
      return tool === undefined ? [] : [{ tool, score }];
    })
    .toSorted(
      (left, right) =>
        right.score - left.score || (left.tool.wireName < right.tool.wireName ? -1 : 1),
    )
    .map(({ tool }) => tool);
}

function indexOf(tools: readonly CatalogueTool[]): Promise<ToolIndex> {
  if (
    lastIndex?.tools.length === tools.length &&
    lastIndex.tools.every((tool, at) => tool === tools[at])
  )
    return lastIndex.index;
  lastIndex = { tools: [...tools], index: makeIndex(tools) };
  return lastIndex.index;
}

async function makeIndex(tools: readonly CatalogueTool[]): Promise<ToolIndex> {
  // Loaded lazily, on the first search of the process.
  const { default: Index } = await import('minisearch');
  const search = new Index({ fields: [...FIELDS], tokenize: wordsOf, processTerm: (word) => word });
  search.addAll(tools.map((tool, id) => ({ id, ...textsOf(tool) })));
  return { tools: [...tools], search };
}

function textsOf({ name, title, server, description, inputSchema, annotations }: CatalogueTool): {
  readonly [F in keyof typeof BOOST]: string;
} {
  const { properties } = inputSchema;
  return {
    name,
    title: title ?? annotations.title ?? '',
    server,
    description: description.slice(0, MAX_DESCRIPTION),
    parameters: isPlainObject(properties) ? Object.keys(properties).join(' ') : '',
  };
}
