import type { Uses } from '../core/engine-parts.ts';

/**
 * Stops the turns and calls of this process whose cancellation is stored, as their signals can be
 * lost.
 */
export async function stopCancelled({
  store,
  activities,
}: Uses<'store' | 'activities'>): Promise<void> {
  const { runIds, callIds } = activities.inProgress();
  if (runIds.size === 0) return;
  for (const id of await store.read.runIds(['cancelling']))
    if (runIds.has(id)) activities.stopRun(id);
  for (const id of await store.read.cancelledCalls([...callIds])) activities.stopCall(id);
}
