import type { Usage } from '../../ports/llm-provider.ts';
import type { UsageData } from '../core/events.ts';

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
