import type { InteractiveContext } from '@signalbox/mcp-core/server';

/** Milliseconds after which a call becomes a task. A client asks for the result of a task about once a second, so that a shorter call would only take longer. */
const TASK_AFTER_MS = 1000;

/**
 * Runs the rest of a call, which becomes a task if it takes longer than a second and the client supports
 * tasks. `work` asks the client nothing.
 */
export async function withTask<Result>(
  context: InteractiveContext,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setTimeout(() => void context.startTask(), TASK_AFTER_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
