import type { ModelPreferences } from '@signalbox/mcp-core';
import type { ModelCard, ModelPrice } from '../../ports/model-card.ts';

export interface ModelNeeds {
  readonly tools: boolean;
  readonly images: boolean;
  readonly audio: boolean;
  /** Estimate of the prompt's tokens, with room for the output. */
  readonly contextTokens: number;
}

export interface ModelChoice {
  readonly card: ModelCard;
  /** Reason for the choice, for the log. */
  readonly why: string;
}

type Tier = NonNullable<ModelCard['tier']>;

/** Rank of a model without a known rank: the middle. */
const UNKNOWN = 0.5;

/** Model family names and their size, which selects a substitute for a missing model. */
const FAMILIES: readonly (readonly [pattern: RegExp, tier: Tier])[] = [
  [/haiku|\bmini\b|flash|\bnano\b|luna/i, 'small'],
  [/opus|fable|astra|\bpro\b/i, 'large'],
  [/sonnet|terra|\bsol\b|gpt-[0-9.]+$/i, 'medium'],
];

/**
 * Chooses the best model of those that support the request: the first hint that matches any model,
 * else by priorities, else the first of `cards`, which is the configured model. A hint is a part of
 * a name, an alias, or the name of a family, for which a model of the same size is a substitute.
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

function isAble({ takes, contextTokens, assumed }: ModelCard, needs: ModelNeeds): boolean {
  return (
    (takes.tools || !needs.tools) &&
    (takes.images || !needs.images) &&
    (takes.audio || !needs.audio) &&
    (assumed.includes('contextTokens') || needs.contextTokens <= contextTokens)
  );
}

function hintsIn({ hints = [] }: ModelPreferences): readonly string[] {
  return hints.flatMap(({ name }) =>
    typeof name === 'string' && name.trim() !== '' ? [name.trim().toLowerCase()] : [],
  );
}

/** Returns the model with the highest score; of equal models the first. */
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

/** Returns the price of a call that reads four times as many tokens as it writes. */
function dollars(price: ModelPrice | undefined): number | undefined {
  return price === undefined ? undefined : price.input * 4 + price.output;
}
