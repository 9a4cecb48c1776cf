import type { ToolCall } from '../../ports/run-store.ts';

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
  /** By server, in the order in which they came. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #granted = new Grants();
  readonly #failures = new Map<string, number>();
  /** The calls of each server that are not parked. */
  readonly #underWay = new Map<string, number>();
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

  /**
   * Whether the call may begin: its last attempt is over, and its server is asked few others. A call that waits for a person takes no room. A call that
   * may not begin waits in line; `onRoom` calls it when a place is kept for it, which it takes by asking again or gives back by `forgo`.
   */
  hasRoom({ id, server }: Pick<ToolCall, 'id' | 'server'>): boolean {
    if (
      !this.#calls.has(id) &&
      (this.#granted.delete(id) || this.#used(server) < MAX_CALLS_PER_SERVER)
    ) {
      this.#waiting.get(server)?.delete(id);
      return true;
    }
    this.#waiting.set(server, (this.#waiting.get(server) ?? new Set()).add(id));
    return false;
  }

  /** Gives back the place that was kept for a call which does not begin after all. */
  forgo(id: string): void {
    const server = this.#granted.get(id);
    if (server === undefined) return;
    this.#granted.delete(id);
    this.#giveRoom(server);
  }

  beginTurn(runId: string): Activity {
    const controller = new AbortController();
    this.#turns.set(runId, controller);
    return { signal: controller.signal, end: () => void this.#turns.delete(runId) };
  }

  beginCall({ id, runId, server }: Pick<ToolCall, 'id' | 'runId' | 'server'>): CallActivity {
    const controller = new AbortController();
    const { promise: parked, resolve } = Promise.withResolvers<void>();
    const release = (): void => {
      if (!call.isParked) this.#underWay.set(server, (this.#underWay.get(server) ?? 1) - 1);
      call.isParked = true;
      this.#giveRoom(server);
    };
    const park = (): void => {
      resolve();
      release();
    };
    const call: CallUnderWay = { runId, server, controller, park, isParked: false };
    this.#calls.set(id, call);
    this.#underWay.set(server, (this.#underWay.get(server) ?? 0) + 1);
    const end = (): void => {
      this.#calls.delete(id);
      // What its server still asks is of no use.
      controller.abort('ended' satisfies StopCause);
      release();
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

  /** Counts one more failure of this service to send a call; returns how many there were in a row. */
  countFailure(callId: string): number {
    const failures = (this.#failures.get(callId) ?? 0) + 1;
    this.#failures.set(callId, failures);
    return failures;
  }

  forgetFailures(callId: string): void {
    this.#failures.delete(callId);
  }

  /** Stops the turn and the calls of one run and of no other. */
  stopRun(runId: string): void {
    this.#turns.get(runId)?.abort('run-stopped' satisfies StopCause);
    for (const call of this.#calls.values())
      if (call.runId === runId) call.controller.abort('run-stopped' satisfies StopCause);
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

  /** The places of a server that are taken by calls under way or kept for calls that were called. */
  #used(server: string): number {
    return (this.#underWay.get(server) ?? 0) + this.#granted.countOf(server);
  }

  /** Calls as many of those that wait as there is room for, in the order in which they came. */
  #giveRoom(server: string): void {
    const waiting = this.#waiting.get(server);
    if (waiting === undefined) return;
    for (const id of waiting) {
      if (this.#used(server) >= MAX_CALLS_PER_SERVER) return;
      // A call whose last attempt is not over is called when that ends.
      if (this.#calls.has(id)) continue;
      waiting.delete(id);
      this.#granted.set(id, server);
      this.#onRoom(id);
    }
    if (waiting.size === 0) this.#waiting.delete(server);
  }
}

/** The calls for which a place is kept, with their servers. */
class Grants {
  readonly #servers = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  get(id: string): string | undefined {
    return this.#servers.get(id);
  }

  countOf(server: string): number {
    return this.#counts.get(server) ?? 0;
  }

  set(id: string, server: string): void {
    this.#servers.set(id, server);
    this.#counts.set(server, this.countOf(server) + 1);
  }

  delete(id: string): boolean {
    const server = this.#servers.get(id);
    if (server === undefined) return false;
    this.#servers.delete(id);
    this.#counts.set(server, this.countOf(server) - 1);
    return true;
  }
}
