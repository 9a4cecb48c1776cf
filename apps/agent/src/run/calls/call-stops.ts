import type { ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import { isAbandoned, type CallActivity } from '../core/activities.ts';

export interface CallStops {
  /** Cancels the call at its server. */
  readonly signal: AbortSignal;
  /** Resolves when another worker continues the task of the call. */
  readonly abandoned: Promise<ToolCallOutcome>;
}

/**
 * Returns the signal and the outcome by which an activity stops its call. When this worker loses
 * its lease, a task is not cancelled, because the next worker waits for the same task.
 */
export function stopsOf(activity: CallActivity, task: { readonly isStored: boolean }): CallStops {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<ToolCallOutcome>();
  const stop = (): void => {
    if (task.isStored && isAbandoned(activity))
      resolve({ type: 'lost', message: 'Another worker waits for the task.' });
    else controller.abort(activity.signal.reason);
  };
  if (activity.signal.aborted) stop();
  else activity.signal.addEventListener('abort', stop, { once: true });
  return { signal: controller.signal, abandoned: promise };
}
