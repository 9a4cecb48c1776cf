import { addUsage } from '../../usage/add-usage.ts';
import type { Usage } from '../../ports/llm-provider.ts';
import { isSettled } from '../../ports/store/run.ts';
import { emitLimitEvents } from './budget.ts';
import type { Change } from '../core/commits.ts';
import { usageData } from './usage.ts';

export interface Charge {
  readonly usage: Usage;
  readonly model: string;
  /** Call whose server sent the sampling request; undefined for the run's own model call. */
  readonly call?: { readonly id: string; readonly server: string } | undefined;
}

/** Adds the usage of a model call to its run. A settled run does not change. */
export async function charge(change: Change, { usage, model, call }: Charge): Promise<void> {
  const { sql, runId, emit } = change;
  const run = await sql.runCore(runId);
  if (run === undefined || isSettled(run)) return;
  const total = addUsage(run.usage, usage);
  await sql.updateRun(runId, { usage: total });
  emitLimitEvents(change, { limits: run.limits, before: run.usage, after: total });
  emit({
    type: 'usage.updated',
    data: {
      source: call === undefined ? 'agent' : 'server',
      server: call?.server,
      call_id: call?.id,
      model,
      usage: usageData(usage),
      total: usageData(total),
    },
  });
}
