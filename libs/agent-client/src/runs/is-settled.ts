import type { Run } from '../api-types.ts';

const SETTLED: readonly Run['status'][] = ['completed', 'failed', 'cancelled', 'expired'];

/** Whether a run has ended. A `failed` or `expired` run can be resumed. */
export function isSettled({ status }: Pick<Run, 'status'>): boolean {
  return SETTLED.includes(status);
}
