import { LocalError, ProtocolError } from '@signalbox/mcp-core';
import type { Clock } from '../ports/clock.ts';
import type { ServerConnection } from './server-connection.ts';

const ASK_AGAIN_MS = 100;

export interface CancelledTask {
  readonly client: Pick<ServerConnection['client'], 'tasks'>;
  readonly taskId: string;
  readonly clock: Clock;
  /** Milliseconds in which the server must report the task as cancelled. */
  readonly graceMs: number;
}

/**
 * Returns whether the server reports a task as cancelled. A task that ended otherwise is not
 * cancelled.
 */
export async function isTaskCancelled({
  client,
  taskId,
  clock,
  graceMs,
}: CancelledTask): Promise<boolean> {
  const endsAt = clock.now() + graceMs;
  try {
    for (;;) {
      const { status } = await client.tasks.get(taskId, {
        timeoutMs: graceMs,
        maxTotalMs: graceMs,
      });
      if (status === 'cancelled') return true;
      if (status === 'completed' || status === 'failed' || clock.now() >= endsAt) return false;
      await new Promise<void>((resolve) => void clock.after(ASK_AGAIN_MS, resolve));
    }
  } catch (error) {
    if (error instanceof LocalError || error instanceof ProtocolError) return false;
    throw error;
  }
}
