import type { RunEvent } from '../../ports/store/run-event.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import type { RunEventType } from '../core/events.ts';

/** Number of events in one read. */
const PAGE = 1000;

/** Milliseconds below which another attempt of a call is not worth its side effects. */
const SHORTEST_ATTEMPT_MS = 100;

/** Whether another attempt of a call may be planned within the time limit of the call. */
export async function hasTimeLeft(
  context: Uses<'clock'>,
  change: Change,
  call: ToolCall,
): Promise<boolean> {
  const limitMs = (await change.sql.runCore(change.runId))?.limits.callMaxMs ?? 0;
  return (await timeLeft(context, change, { call, limitMs })) >= SHORTEST_ATTEMPT_MS;
}

/**
 * Returns the milliseconds that are left of the time limit of a call. Earlier attempts count without
 * the time spent waiting for a person. Attempts whose process ended do not count, because the call
 * was not awaited all the time, and a person who retries a call allows the whole time again.
 */
export async function timeLeft(
  { clock }: Uses<'clock'>,
  { sql, runId }: Pick<Change, 'sql' | 'runId'>,
  { call, limitMs }: { readonly call: ToolCall; readonly limitMs: number },
): Promise<number> {
  if (call.attempt === 0) return limitMs;
  const spent = new SpentTime();
  for (let after = 0; ;) {
    const page = await sql.events(runId, { after, limit: PAGE });
    for (const event of page) if (event.data['call_id'] === call.id) spent.add(event);
    after = page.at(-1)?.seq ?? after;
    if (page.length < PAGE) return limitMs - spent.until(clock.now());
  }
}

/** The time in which a call was in progress, from its events. */
class SpentTime {
  /** Milliseconds of the attempts that have ended. */
  #endedMs = 0;
  /** Milliseconds of the present attempt until it waited for a person. */
  #attemptMs = 0;
  #since: number | undefined;

  add({ type, at, data }: RunEvent): void {
    switch (type as RunEventType) {
      case 'tool_call.dispatched':
      case 'tool_call.resumed':
      case 'tool_call.working':
        this.#since ??= at;
        break;
      case 'tool_call.input_required':
        this.#stop(at);
        break;
      case 'tool_call.retrying':
        this.#stop(at);
        if (data['reason'] !== 'process_ended') this.#endedMs += this.#attemptMs;
        this.#attemptMs = 0;
        break;
      case 'tool_call.outcome_unknown':
        this.#endedMs = 0;
        this.#attemptMs = 0;
        this.#since = undefined;
        break;
      default:
    }
  }

  /** Returns the milliseconds until a time, with those of an attempt that has not ended. */
  until(now: number): number {
    this.#stop(now);
    return this.#endedMs + this.#attemptMs;
  }

  #stop(at: number): void {
    if (this.#since !== undefined) this.#attemptMs += Math.max(0, at - this.#since);
    this.#since = undefined;
  }
}
