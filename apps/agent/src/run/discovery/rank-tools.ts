import { isPlainObject } from '../../plain-object.ts';
import type { CatalogueTool } from '../../ports/tool-registry.ts';

/** How much a word counts where it stands. */
const WEIGHTS = { name: 3, title: 2.5, server: 1.5, description: 1, parameters: 0.6 } as const;
/** What a word counts that only begins like the wanted one. */
const PREFIX_SHARE = 0.5;
const MIN_PREFIX = 3;
const SATURATION = 1.2;

interface Indexed {
  readonly tool: CatalogueTool;
  /** Weight of each word, summed over the places where it stands. */
  readonly words: ReadonlyMap<string, number>;
}

/** The tools that have any word of the query, the best first: rare words and words of names count more. Equal ones are in the order of their wire names. */
export function rankTools(query: string, tools: readonly CatalogueTool[]): readonly CatalogueTool[] {
  const wanted = [...new Set(wordsOf(query))];
  const index = tools.map(indexed);
  const weights = wanted.map((word) => index.map(({ words }) => weightOf(word, words)));
  const rarity = weights.map((ofTools) => {
    const found = ofTools.filter((weight) => weight > 0).length;
    return Math.log(1 + (tools.length - found + 0.5) / (found + 0.5));
  });
  return index
    .map(({ tool }, at) => ({ tool, score: scoreOf(weights.map((ofTools) => ofTools[at] ?? 0), rarity) }))
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score || (left.tool.wireName < right.tool.wireName ? -1 : 1))
    .map(({ tool }) => tool);
}

/** Words in lower case and without plural endings; `listOpenOrders`, `list_open_orders` and "list open orders" have the same ones. */
export function wordsOf(text: string): readonly string[] {
  const parts = text.normalize('NFKC').replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').toLowerCase();
  // Chinese and Japanese have no spaces: each character is a word.
  return (parts.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? []).map(withoutPlural);
}

function withoutPlural(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function indexed(tool: CatalogueTool): Indexed {
  const words = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) words.set(word, (words.get(word) ?? 0) + weight);
  };
  add(tool.name, WEIGHTS.name);
  add(tool.title ?? tool.annotations.title ?? '', WEIGHTS.title);
  add(tool.server, WEIGHTS.server);
  add(tool.description, WEIGHTS.description);
  const { properties } = tool.inputSchema;
  if (isPlainObject(properties)) add(Object.keys(properties).join(' '), WEIGHTS.parameters);
  return { tool, words };
}

function weightOf(wanted: string, words: ReadonlyMap<string, number>): number {
  const exact = words.get(wanted);
  if (exact !== undefined) return exact;
  if (wanted.length < MIN_PREFIX) return 0;
  const alike = [...words].filter(([word]) => word.startsWith(wanted) || (word.length >= MIN_PREFIX && wanted.startsWith(word)));
  return Math.max(0, ...alike.map(([, weight]) => weight * PREFIX_SHARE));
}

/** A word that stands often counts little more than one that stands once; tools that have all words come first. */
function scoreOf(weights: readonly number[], rarity: readonly number[]): number {
  const sum = weights.reduce((total, weight, at) => total + ((rarity[at] ?? 0) * weight) / (weight + SATURATION), 0);
  return (sum * weights.filter((weight) => weight > 0).length) / weights.length;
}
