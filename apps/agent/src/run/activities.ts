import type { ToolCall } from '../ports/run-store.ts';

/** Why the engine waits no longer for a model, a tool, or the answer to a question of its server. */
export type StopCause = 'run-stopped' | 'call-stopped' | 'shutdown' | 'ended';

/** Something this process waits for on behalf of a run. */
export interface Activity {
  /** Aborted with a `StopCause`. */
  readonly signal: AbortSignal;
  end(): void;
}

export interface CallActivity extends Activity {
  /** Resolves when nobody needs to wait for the call any more: it waits for a person, or the engine closes. */
  readonly parked: Promise<void>;
  park(): void;
}

/** The calls that one server is asked at a time, so that one that hangs takes no place from the others. */
const MAX_CALLS_PER_SERVER = 32;

/** The calls of this process that may wait for a person at a time with the connection to their server open. */
export const MAX_HELD_CALLS = 256;

interface CallUnderWay {
  readonly runId: string;
  readonly server: string;
  readonly controller: AbortController;
  readonly park: () => void;
  isParked: boolean;
}

/** The model and tool calls that run in this process now. They are the means to stop a run; what is true of it is in the store. */
export class Activities {
  readonly #turns = new Map<string, AbortController>();
  readonly #calls = new Map<string, CallUnderWay>();
  readonly #waiting = new Map<string, Set<string>>();
  /** The open questions of each call that waits with its connection open. */
  readonly #held = new Map<string, number>();
  readonly #onRoom: (callId: string) => void;

  /** `onRoom` hears of each call that was refused by `hasRoom` when it may ask again. */
  constructor(onRoom: (callId: string) => void) {
    this.#onRoom = onRoom;
  }

  hasTurn(runId: string): boolean {
    return this.#turns.has(runId);
  }

  /** Whether the call may begin: its last attempt is over, and its server is asked few others. A call that waits for a person takes no room. */
  hasRoom({ id, server }: Pick<ToolCall, 'id' | 'server'>): boolean {
    const underWay = [...this.#calls.values()].filter((call) => call.server === server && !call.isParked);
    if (!this.#calls.has(id) && underWay.length < MAX_CALLS_PER_SERVER) return true;
    this.#waiting.set(server, (this.#waiting.get(server) ?? new Set()).add(id));
    return false;
  }

  beginTurn(runId: string): Activity {
    const controller = new AbortController();
    this.#turns.set(runId, controller);
    return { signal: controller.signal, end: () => void this.#turns.delete(runId) };
  }

  beginCall({ id, runId, server }: Pick<ToolCall, 'id' | 'runId' | 'server'>): CallActivity {
    const controller = new AbortController();
    const { promise: parked, resolve } = Promise.withResolvers<void>();
    const park = (): void => {
      call.isParked = true;
      resolve();
      this.#giveRoom(server);
    };
    const call: CallUnderWay = { runId, server, controller, park, isParked: false };
    this.#calls.set(id, call);
    const end = (): void => {
      this.#calls.delete(id);
      // What its server still asks is of no use.
      controller.abort('ended' satisfies StopCause);
      this.#giveRoom(server);
    };
    return { signal: controller.signal, parked, park, end };
  }

  /** Takes a place for a call that waits for a person with its connection open; returns the function that gives it back, or nothing when all are taken. */
  hold(callId: string): (() => void) | undefined {
    const questions = this.#held.get(callId) ?? 0;
    if (questions === 0 && this.#held.size >= MAX_HELD_CALLS) return undefined;
    this.#held.set(callId, questions + 1);
    return () => {
      const left = (this.#held.get(callId) ?? 1) - 1;
      if (left === 0) this.#held.delete(callId);
      else this.#held.set(callId, left);
    };
  }

  /** Stops the turn and the calls of one run and of no other. */
  stopRun(runId: string): void {
    this.#turns.get(runId)?.abort('run-stopped' satisfies StopCause);
    for (const call of this.#calls.values()) if (call.runId === runId) call.controller.abort('run-stopped' satisfies StopCause);
  }

  /** Stops one call and nothing else of its run. */
  stopCall(id: string): void {
    this.#calls.get(id)?.controller.abort('call-stopped' satisfies StopCause);
  }

  /** Stops every turn; calls go on, since a tool that was asked may be about to answer. */
  stopTurns(): void {
    for (const controller of this.#turns.values()) controller.abort('shutdown' satisfies StopCause);
  }

  /** Lets go of every call; they are not stopped. */
  parkCalls(): void {
    for (const call of this.#calls.values()) call.park();
  }

  #giveRoom(server: string): void {
    const waiting = this.#waiting.get(server) ?? [];
    this.#waiting.delete(server);
    for (const id of waiting) this.#onRoom(id);
  }
}
