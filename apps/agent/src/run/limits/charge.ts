import { addUsage } from '../../add-usage.ts';
import type { Usage } from '../../ports/llm-provider.ts';
import { isSettled } from '../../ports/run-store.ts';
import { tellSpending } from './budget.ts';
import type { Change } from '../core/commits.ts';
import { usageData } from './usage.ts';

export interface Charge {
  readonly usage: Usage;
  readonly model: string;
  /** The call of a server that asked the model; undefined when the run itself did. */
  readonly call?: { readonly id: string; readonly server: string } | undefined;
}

/** Adds what a model call used to its run; a settled run is as it is. */
export async function charge(change: Change, { usage, model, call }: Charge): Promise<void> {
  const { sql, runId, emit } = change;
  const run = await sql.run(runId);
  if (run === undefined || isSettled(run)) return;
  const total = addUsage(run.usage, usage);
  await sql.updateRun(runId, { usage: total });
  tellSpending(change, { limits: run.limits, before: run.usage, after: total });
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
