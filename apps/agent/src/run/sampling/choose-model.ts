import type { ModelPreferences } from '@signalbox/mcp-core';
import type { ModelCard, ModelPrice } from '../../ports/model-card.ts';

export interface ModelNeeds {
  readonly tools: boolean;
  readonly images: boolean;
  readonly audio: boolean;
  /** A rough count of the prompt, with room for the answer. */
  readonly contextTokens: number;
}

export interface ModelChoice {
  readonly card: ModelCard;
  /** For the log. */
  readonly why: string;
}

type Tier = NonNullable<ModelCard['tier']>;

/** Where a rank is not known, the middle. */
const UNKNOWN = 0.5;

/** Names of families, and what stands in for a model that is not there. */
const FAMILIES: readonly (readonly [pattern: RegExp, tier: Tier])[] = [
  [/haiku|\bmini\b|flash|\bnano\b|luna/i, 'small'],
  [/opus|fable|astra|\bpro\b/i, 'large'],
  [/sonnet|terra|\bsol\b|gpt-[0-9.]+$/i, 'medium'],
];

/**
 * The model that suits best of those that can take the request: the first hint that fits any, else what the priorities weigh, else the first of
 * `cards`, which is the one that is configured. Hints are parts of names, aliases, or the name of a family, for which a model of the same size stands in.
 * @returns undefined when no model can take the request
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#model-preferences
 */
export function chooseModel(
  cards: readonly ModelCard[],
  needs: ModelNeeds,
  preferences: ModelPreferences = {},
): ModelChoice | undefined {
  const able = cards.filter((card) => isAble(card, needs));
  if (able.length === 0) return undefined;
  for (const hint of hintsIn(preferences)) {
    const named = able.filter(
      ({ id, aliases }) =>
        id.toLowerCase().includes(hint) || aliases.some((alias) => alias.toLowerCase() === hint),
    );
    if (named.length > 0) return best(named, preferences, `hint "${hint}"`);
    const tier = FAMILIES.find(([pattern]) => pattern.test(hint))?.[1];
    const alike = tier === undefined ? [] : able.filter((card) => card.tier === tier);
    if (alike.length > 0)
      return best(alike, preferences, `a ${tier} model, for the hint "${hint}"`);
  }
  return best(able, preferences, 'priorities');
}

function isAble({ takes, contextTokens }: ModelCard, needs: ModelNeeds): boolean {
  return (
    (takes.tools || !needs.tools) &&
    (takes.images || !needs.images) &&
    (takes.audio || !needs.audio) &&
    (contextTokens === undefined || needs.contextTokens <= contextTokens)
  );
}

function hintsIn({ hints = [] }: ModelPreferences): readonly string[] {
  return hints.flatMap(({ name }) =>
    typeof name === 'string' && name.trim() !== '' ? [name.trim().toLowerCase()] : [],
  );
}

/** The first of equals, so that without priorities it is the one that comes first. */
function best(
  cards: readonly ModelCard[],
  preferences: ModelPreferences,
  why: string,
): ModelChoice | undefined {
  const weights = {
    cost: weight(preferences.costPriority),
    speed: weight(preferences.speedPriority),
    intelligence: weight(preferences.intelligencePriority),
  };
  const dearest = Math.max(...cards.map(({ price }) => dollars(price) ?? 0));
  const score = ({ price, speed, intelligence }: ModelCard): number => {
    const cost = dollars(price);
    const cheapness = cost === undefined ? UNKNOWN : dearest === 0 ? 1 : 1 - cost / dearest;
    return (
      weights.cost * cheapness +
      weights.speed * (speed ?? UNKNOWN) +
      weights.intelligence * (intelligence ?? UNKNOWN)
    );
  };
  const [card] = cards.toSorted((left, right) => score(right) - score(left));
  return card === undefined ? undefined : { card, why };
}

function weight(priority: number | undefined): number {
  return priority === undefined || Number.isNaN(priority) ? 0 : Math.min(1, Math.max(0, priority));
}

/** What a call costs that reads four times as much as it writes. */
function dollars(price: ModelPrice | undefined): number | undefined {
  return price === undefined ? undefined : price.input * 4 + price.output;
}
