import type { ModelCard } from '../../ports/model-card.ts';

/** Longest message that a model may write of which nothing is known, in tokens. */
const DEFAULT_OUTPUT_TOKENS = 8192;

/** Shortest message that is asked for where the context is nearly full, in tokens. */
const MIN_OUTPUT_TOKENS = 1024;

/** Largest share of a context that is kept free for the answer. */
const OUTPUT_SHARE = 0.25;

/** Share of an estimate by which the real count may be greater. */
const ESTIMATE_MARGIN = 0.25;

type Card = Pick<ModelCard, 'contextTokens' | 'maxOutputTokens'> | undefined;

/** The longest message that the model may write in a run, thinking included: as much as the model can, and no more than the run says. */
export function maxOutputTokens(card: Card, limit: number | undefined): number {
  const known = card?.maxOutputTokens;
  if (limit === undefined) return known ?? DEFAULT_OUTPUT_TOKENS;
  return Math.min(limit, known ?? Infinity);
}

/** The room for the prompt; `Infinity` where the context is not known. */
export function promptRoom(card: Card, outputTokens: number): number {
  const context = card?.contextTokens;
  return context === undefined
    ? Infinity
    : context - Math.min(outputTokens, Math.floor(context * OUTPUT_SHARE));
}

/** The longest message that fits beside a prompt, which providers want to be no longer than the context together with it. */
export function outputTokensBeside(card: Card, outputTokens: number, promptTokens: number): number {
  const context = card?.contextTokens ?? Infinity;
  const free = context - Math.ceil(promptTokens * (1 + ESTIMATE_MARGIN));
  return Math.min(outputTokens, Math.max(MIN_OUTPUT_TOKENS, free));
}
