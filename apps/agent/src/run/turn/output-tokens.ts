import type { ModelCard } from '../../ports/model-card.ts';

/** Limit of output tokens for a model without a known limit. */
const DEFAULT_OUTPUT_TOKENS = 8192;

/** Smallest limit of output tokens, used when the context is nearly full. */
const MIN_OUTPUT_TOKENS = 1024;

/** Largest share of a context that is reserved for the output. */
const OUTPUT_SHARE = 0.25;

/** Share by which the real token count may exceed an estimate. */
const ESTIMATE_MARGIN = 0.25;

type Card = Pick<ModelCard, 'contextTokens' | 'maxOutputTokens'> | undefined;

/**
 * Returns the limit of output tokens, reasoning included: the limit of the model or, if lower, of
 * the run.
 */
export function maxOutputTokens(card: Card, limit: number | undefined): number {
  const known = card?.maxOutputTokens;
  if (limit === undefined) return known ?? DEFAULT_OUTPUT_TOKENS;
  return Math.min(limit, known ?? Infinity);
}

/** Returns the tokens that are left for the prompt; `Infinity` when the context size is unknown. */
export function promptRoom(card: Card, outputTokens: number): number {
  const context = card?.contextTokens;
  return context === undefined
    ? Infinity
    : context - Math.min(outputTokens, Math.floor(context * OUTPUT_SHARE));
}

/**
 * Returns the limit of output tokens beside a prompt. Providers require both together to fit the
 * context.
 */
export function outputTokensBeside(card: Card, outputTokens: number, promptTokens: number): number {
  const context = card?.contextTokens ?? Infinity;
  const free = context - Math.ceil(promptTokens * (1 + ESTIMATE_MARGIN));
  return Math.min(outputTokens, Math.max(MIN_OUTPUT_TOKENS, free));
}
