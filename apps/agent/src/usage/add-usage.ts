import type { Usage } from '../ports/llm-provider.ts';

const SOURCES = ['reported', 'partial', 'estimated'] as const;

/**
 * Returns the sum of two counts with the lower reliability. The cost is known if both costs are.
 */
export function addUsage(total: Usage | undefined, usage: Usage): Usage {
  if (total === undefined) return usage;
  const sum: Usage = {
    input: total.input + usage.input,
    cacheRead: total.cacheRead + usage.cacheRead,
    cacheWrite: total.cacheWrite + usage.cacheWrite,
    output: total.output + usage.output,
    reasoning: total.reasoning + usage.reasoning,
    source:
      SOURCES.indexOf(usage.source) > SOURCES.indexOf(total.source) ? usage.source : total.source,
  };
  return total.costUsd === undefined || usage.costUsd === undefined
    ? sum
    : { ...sum, costUsd: total.costUsd + usage.costUsd };
}
