import type { Usage } from '../ports/llm-provider.ts';

/** Maximum plausible count of one call. */
const MAX_TOKENS = 1_000_000_000;

/** Counts as reported by a provider: any JSON values. */
export interface ReportedCounts {
  /** Tokens of the whole prompt, including cached parts. */
  readonly input: unknown;
  readonly cacheRead: unknown;
  readonly cacheWrite: unknown;
  readonly output: unknown;
  readonly reasoning: unknown;
}

/**
 * Returns a reported count as a whole number from 0 to 1,000,000,000, rounded up. Undefined for
 * anything but a non-negative number or its digits.
 */
export function tokenCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isFinite(count) || count < 0) return undefined;
  return Math.min(MAX_TOKENS, Math.ceil(count));
}

/**
 * Returns the usage that a provider reported, with parts no greater than their whole. Undefined
 * without an input count; a missing output count is estimated.
 */
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

/** Returns the usage of a call for which the provider reported no counts. */
export function estimatedUsage(input: number, output: number): Usage {
  return { input, cacheRead: 0, cacheWrite: 0, output, reasoning: 0, source: 'estimated' };
}
