import type { Usage } from '../../ports/llm-provider.ts';
import type { UsageData } from '../core/events.ts';

/** Returns token counts by their names in events and in the API. */
export function usageData({
  input,
  cacheRead,
  cacheWrite,
  output,
  reasoning,
  source,
  costUsd,
}: Usage): UsageData {
  return {
    input,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    output,
    reasoning,
    source,
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
  };
}

/** Returns token counts that `usageData` wrote. */
export function usageOf({
  cache_read: cacheRead,
  cache_write: cacheWrite,
  cost_usd: costUsd,
  ...others
}: UsageData): Usage {
  return { ...others, cacheRead, cacheWrite, ...(costUsd === undefined ? {} : { costUsd }) };
}
