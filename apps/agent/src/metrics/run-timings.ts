import type { Clock } from '../ports/clock.ts';
import type { RunEventBody, RunEventTypes } from '../run/core/events.ts';

/** A tool call that has ended or whose outcome is unknown. */
export interface CallEnd {
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
  /** Empty for a call without a server, and for one that this process neither planned nor sent. */
  readonly server: string;
  readonly tool: string;
  readonly outcome: 'succeeded' | 'failed' | 'cancelled' | 'unknown';
  /** Milliseconds since the call was sent. Undefined for a call sent by another process. */
  readonly durationMs: number | undefined;
}

export interface TurnEnd {
  readonly runId: string;
  readonly outcome: 'completed' | 'failed' | 'cancelled' | 'interrupted';
  /** Milliseconds. Undefined if an earlier process began it. */
  readonly durationMs: number | undefined;
}

export interface RunTimingsOptions {
  readonly clock: Clock;
  readonly onCallEnd: (end: CallEnd) => void;
  readonly onTurnEnd: (end: TurnEnd) => void;
  readonly onRunEnd: (end: {
    readonly runId: string;
    readonly status: 'completed' | 'failed' | 'cancelled' | 'expired';
  }) => void;
}

interface CallSoFar {
  readonly runId: string;
  readonly server: string;
  readonly tool: string;
  readonly sentAt: number | undefined;
}

/**
 * Maximum number of calls, and of turns, whose beginning is remembered. A turn or call that begins
 * here may end in another process.
 */
const MAX_REMEMBERED = 10_000;

/**
 * Derives durations from the events that this process committed. Keeps state only for unfinished
 * runs and calls, and forgets the oldest above the limit.
 */
export class RunTimings {
  readonly #options: RunTimingsOptions;
  readonly #calls = new Map<string, CallSoFar>();
  readonly #turns = new Map<string, number>();

  constructor(options: RunTimingsOptions) {
    this.#options = options;
  }

  record(runId: string, events: readonly RunEventBody[]): void {
    for (const event of events) this.#record(runId, event);
  }

  #record(runId: string, { type, data }: RunEventBody): void {
    switch (type) {
      case 'turn.started':
        remember(this.#turns, data.message_id, this.#options.clock.now());
        return;
      case 'turn.completed':
      case 'turn.failed':
      case 'turn.cancelled':
      case 'turn.interrupted':
        return this.#endTurn(runId, data, type);
      case 'tool_call.planned':
        remember(this.#calls, data.call_id, {
          runId,
          server: data.server ?? '',
          tool: data.tool,
          sentAt: undefined,
        });
        return;
      case 'tool_call.dispatched':
        remember(this.#calls, data.call_id, {
          runId,
          server: data.server,
          tool: data.tool,
          sentAt: this.#options.clock.now(),
        });
        return;
      case 'tool_call.completed':
        return this.#endCall(runId, data, 'succeeded');
      case 'tool_call.failed':
        return this.#endCall(runId, data, 'failed');
      case 'tool_call.cancelled':
        return this.#endCall(runId, data, 'cancelled');
      case 'tool_call.outcome_unknown':
        return this.#endCall(runId, data, 'unknown');
      case 'run.completed':
      case 'run.failed':
      case 'run.cancelled':
      case 'run.expired':
        return this.#endRun(runId, type);
      default:
    }
  }

  #endTurn(
    runId: string,
    { message_id: messageId }: RunEventTypes['turn.cancelled'],
    type: `turn.${TurnEnd['outcome']}`,
  ): void {
    const startedAt = this.#turns.get(messageId);
    this.#turns.delete(messageId);
    this.#options.onTurnEnd({
      runId,
      outcome: withoutPrefix(type),
      durationMs: this.#since(startedAt),
    });
  }

  #endCall(
    runId: string,
    { call_id: callId, attempt }: { readonly call_id: string; readonly attempt: number },
    outcome: CallEnd['outcome'],
  ): void {
    const { server = '', tool = '', sentAt } = this.#calls.get(callId) ?? {};
    // A person may have a call of unknown outcome sent again.
    if (outcome !== 'unknown') this.#calls.delete(callId);
    this.#options.onCallEnd({
      runId,
      callId,
      attempt,
      server,
      tool,
      outcome,
      durationMs: this.#since(sentAt),
    });
  }

  #endRun(
    runId: string,
    type: 'run.completed' | 'run.failed' | 'run.cancelled' | 'run.expired',
  ): void {
    for (const [callId, call] of this.#calls) if (call.runId === runId) this.#calls.delete(callId);
    this.#options.onRunEnd({ runId, status: withoutPrefix(type) });
  }

  #since(start: number | undefined): number | undefined {
    return start === undefined ? undefined : this.#options.clock.now() - start;
  }
}

/** Adds an entry as the latest one. */
function remember<Value>(entries: Map<string, Value>, id: string, value: Value): void {
  entries.delete(id);
  entries.set(id, value);
  if (entries.size <= MAX_REMEMBERED) return;
  const [oldest = id] = entries.keys();
  entries.delete(oldest);
}

function withoutPrefix<Rest extends string>(type: `${'turn' | 'run'}.${Rest}`): Rest {
  // The type names the prefix of the event.
  return type.slice(type.indexOf('.') + 1) as Rest;
}
