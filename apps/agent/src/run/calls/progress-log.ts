import { isOurs } from '../ledger/call-states.ts';
import type { Progress } from '@signalbox/mcp-core';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/store/tool-call.ts';
import { inBackground, type Uses } from '../core/engine-parts.ts';
import type { RunEventBody } from '../core/events.ts';

/** Shortest interval between two stored progress events, in milliseconds. */
const STORE_EVERY_MS = 250;

/** Time after which a call without progress reaches its crash point, in milliseconds. */
const UNDER_WAY_AFTER_MS = 200;

/** Longest stored progress message, in characters. */
const MAX_CHARACTERS = 4096;

/**
 * Stores the progress of one attempt. Updates that arrive too fast are dropped, except the last.
 */
export class ProgressLog {
  readonly #context: Uses<'workerId' | 'clock' | 'logger' | 'crashPoint' | 'commit'>;
  readonly #call: ToolCall;
  #waiting: Progress | undefined;
  #lastStoredAt = Number.NEGATIVE_INFINITY;
  #cancelStore: (() => void) | undefined;
  #stored: Promise<void> = Promise.resolve();
  #cancelUnderWay: (() => void) | undefined;

  constructor(
    context: Uses<'workerId' | 'clock' | 'logger' | 'crashPoint' | 'commit'>,
    call: ToolCall,
  ) {
    this.#context = context;
    this.#call = call;
    this.#cancelUnderWay = context.clock.after(UNDER_WAY_AFTER_MS, () => this.#underWay());
  }

  add(progress: Progress): void {
    if (this.#cancelUnderWay !== undefined) this.#underWay();
    this.#waiting = progress;
    const waitMs = this.#lastStoredAt + STORE_EVERY_MS - this.#context.clock.now();
    // A longer wait means that the clock was set back.
    if (waitMs <= 0 || waitMs > STORE_EVERY_MS) this.#store();
    else this.#cancelStore ??= this.#context.clock.after(waitMs, () => this.#store());
  }

  /** Stops storing. Returns the last unstored progress as an event. */
  async close(): Promise<RunEventBody | undefined> {
    this.#cancelUnderWay?.();
    this.#cancelStore?.();
    await Promise.allSettled([this.#stored]);
    return this.#waiting && this.#eventOf(this.#waiting);
  }

  #underWay(): void {
    this.#cancelUnderWay?.();
    this.#cancelUnderWay = undefined;
    this.#context.crashPoint('during-tool-call');
  }

  #store(): void {
    const progress = this.#waiting;
    this.#cancelStore?.();
    this.#cancelStore = undefined;
    if (progress === undefined) return;
    this.#waiting = undefined;
    this.#lastStoredAt = this.#context.clock.now();
    const { id, runId } = this.#call;
    this.#stored = this.#context.commit(runId, async ({ sql, emit }) => {
      const call = await sql.toolCall(id);
      const isCurrent =
        isOurs(this.#context, this.#call, call) && SENT_CALL_STATES.includes(call.state);
      if (isCurrent) emit(this.#eventOf(progress));
    });
    inBackground(this.#context, 'storing progress', this.#stored);
  }

  #eventOf({ progress, total, message }: Progress): RunEventBody {
    const { id, attempt } = this.#call;
    return {
      type: 'tool_call.progress',
      data: { call_id: id, attempt, progress, total, message: message?.slice(0, MAX_CHARACTERS) },
    };
  }
}
