import type { Usage } from '../../ports/llm-provider.ts';
import type { Run, RunLimits } from '../../ports/store/run.ts';
import type { Change } from '../core/commits.ts';
import { checkLimit } from './limits.ts';

/** Limits on the usage of models; an absent limit does not apply. */
const MEASURES = [
  {
    limit: 'tokens',
    reason: 'token_limit',
    allowed: ({ tokens }: RunLimits) => tokens,
    used: ({ input, output }: Usage) => input + output,
    unit: 'tokens',
  },
  // Runs with this limit only use models with a known price, so the known cost is the whole cost.
  {
    limit: 'cost_usd',
    reason: 'cost_limit',
    allowed: ({ costUsd }: RunLimits) => costUsd,
    used: ({ costUsd = 0 }: Usage) => costUsd,
    unit: 'US dollars',
  },
] as const;

/** Emits the warnings and excesses of limits that the new usage reaches. */
export function emitLimitEvents(
  change: Change,
  {
    limits,
    before,
    after,
  }: { readonly limits: RunLimits; readonly before: Usage | undefined; readonly after: Usage },
): void {
  for (const { limit, allowed, used } of MEASURES) {
    const most = allowed(limits);
    const usedBefore = before === undefined ? 0 : used(before);
    if (most !== undefined && usedBefore <= most)
      checkLimit(change, { limit, before: usedBefore, after: used(after), allowed: most });
  }
}

/** Returns the exhausted limit that stops further model calls, if there is one. */
export function overBudget({
  limits,
  usage,
}: Pick<Run, 'limits' | 'usage'>):
  | { readonly reason: string; readonly message: string }
  | undefined {
  if (usage === undefined) return undefined;
  for (const { allowed, used, reason, unit } of MEASURES) {
    const most = allowed(limits);
    if (most !== undefined && used(usage) >= most)
      return { reason, message: `The run used ${used(usage)} of its ${most} ${unit}.` };
  }
  return undefined;
}
