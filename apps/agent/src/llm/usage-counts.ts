import type { Usage } from '../ports/llm-provider.ts';

/** Largest count of one call that is taken over; a greater one is a fault of the provider. */
const MAX_TOKENS = 1_000_000_000;

/** Counts as a provider reports them: any JSON value, or nothing. */
export interface ReportedCounts {
  /** Tokens of the whole prompt, cached parts included. */
  readonly input: unknown;
  readonly cacheRead: unknown;
  readonly cacheWrite: unknown;
  readonly output: unknown;
  readonly reasoning: unknown;
}

/** A reported count as a whole number from 0 to 1,000,000,000; fractions count up. Undefined for anything that is not a number, or the digits of one, from 0 on. */
export function tokenCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isFinite(count) || count < 0) return undefined;
  return Math.min(MAX_TOKENS, Math.ceil(count));
}

/** Returns what a provider reported, with parts no greater than their whole; undefined without a count of the input. A missing count of the output is estimated. */
export function reportedUsage(
  reported: ReportedCounts,
  estimatedOutput: number,
): Usage | undefined {
  const input = tokenCount(reported.input);
  if (input === undefined) return undefined;
  const countedOutput = tokenCount(reported.output);
  const output = countedOutput ?? estimatedOutput;
  const cacheRead = Math.min(input, tokenCount(reported.cacheRead) ?? 0);
  return {
    input,
    cacheRead,
    cacheWrite: Math.min(input - cacheRead, tokenCount(reported.cacheWrite) ?? 0),
    output,
    reasoning: Math.min(output, tokenCount(reported.reasoning) ?? 0),
    source: countedOutput === undefined ? 'partial' : 'reported',
  };
}
