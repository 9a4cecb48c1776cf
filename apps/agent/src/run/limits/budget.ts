import type { Usage } from '../../ports/llm-provider.ts';
import type { Run, RunLimits } from '../../ports/run-store.ts';
import type { Change } from '../core/commits.ts';
import { spend } from './limits.ts';

/** The limits that are measured by what the models of a run used; unset ones are none. */
const MEASURES = [
  {
    limit: 'tokens',
    reason: 'token_limit',
    allowed: ({ tokens }: RunLimits) => tokens,
    used: ({ input, output }: Usage) => input + output,
    unit: 'tokens',
  },
  // A call whose price is not known is not made with such a limit, so what is known is all.
  {
    limit: 'cost_usd',
    reason: 'cost_limit',
    allowed: ({ costUsd }: RunLimits) => costUsd,
    used: ({ costUsd = 0 }: Usage) => costUsd,
    unit: 'US dollars',
  },
] as const;

/** Tells of a limit that is nearly or fully used by what was used now. */
export function tellSpending(
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
      spend(change, { limit, before: usedBefore, after: used(after), allowed: most });
  }
}

/** Why a run may ask no model any more. */
export function overBudget({
  limits,
  usage,
}: Run): { readonly reason: string; readonly message: string } | undefined {
  if (usage === undefined) return undefined;
  for (const { allowed, used, reason, unit } of MEASURES) {
    const most = allowed(limits);
    if (most !== undefined && used(usage) >= most)
      return { reason, message: `The run used ${used(usage)} of its ${most} ${unit}.` };
  }
  return undefined;
}
