import type { ModelCard } from '../../ports/model-card.ts';

/** Limit of output tokens for a provider without models. */
const DEFAULT_OUTPUT_TOKENS = 8192;

/** Smallest limit of output tokens, used when the context is nearly full. */
const MIN_OUTPUT_TOKENS = 1024;

/** Largest share of a context that is reserved for the output. */
const OUTPUT_SHARE = 0.25;

/** Share by which the real token count may exceed an estimate. */
const ESTIMATE_MARGIN = 0.25;

type Card = Pick<ModelCard, 'contextTokens' | 'maxOutputTokens' | 'assumed'> | undefined;

/**
 * Returns the limit of output tokens, reasoning included: the lowest of the limits of the run and
 * the model. An assumed limit of the model counts only if the run has none.
 */
export function maxOutputTokens(card: Card, ...limits: readonly (number | undefined)[]): number {
  const limit = Math.min(...limits.map((each) => each ?? Infinity));
  if (limit === Infinity) return card?.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS;
  const isKnown = card !== undefined && !card.assumed.includes('maxOutputTokens');
  return isKnown ? Math.min(limit, card.maxOutputTokens) : limit;
}

/** Returns the size of the context; `Infinity` when it is unknown. */
export function knownContextTokens(card: Card): number {
  return card === undefined || card.assumed.includes('contextTokens')
    ? Infinity
    : card.contextTokens;
}

/** Returns the tokens that are left for the prompt; `Infinity` for a provider without models. */
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
  const free = knownContextTokens(card) - Math.ceil(promptTokens * (1 + ESTIMATE_MARGIN));
  return Math.min(outputTokens, Math.max(MIN_OUTPUT_TOKENS, free));
}
