import type { Usage } from '../ports/llm-provider.ts';
import type { UsageData } from './events.ts';

const SOURCES = ['reported', 'partial', 'estimated'] as const;

/** The sum of two counts, as reliable as the less reliable one. */
export function addUsage(total: Usage | undefined, usage: Usage): Usage {
  if (total === undefined) return usage;
  return {
    input: total.input + usage.input,
    cacheRead: total.cacheRead + usage.cacheRead,
    cacheWrite: total.cacheWrite + usage.cacheWrite,
    output: total.output + usage.output,
    reasoning: total.reasoning + usage.reasoning,
    source: SOURCES.indexOf(usage.source) > SOURCES.indexOf(total.source) ? usage.source : total.source,
  };
}

export function usageData({ input, cacheRead, cacheWrite, output, reasoning, source }: Usage): UsageData {
  return { input, cache_read: cacheRead, cache_write: cacheWrite, output, reasoning, source };
}
