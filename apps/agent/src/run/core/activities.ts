import { DEFAULT_CONCURRENCY, type Concurrency } from '../../ports/concurrency.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';

/** Reason why the engine stops waiting for a model, a tool or a response to an input request. */
export type StopCause = 'run-stopped' | 'call-stopped' | 'shutdown' | 'lease-lost' | 'ended';

/** A model or tool call that this process waits for on behalf of a run. */
export interface Activity {
  /** Aborted with a `StopCause`. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Whether this worker lost its lease after the activity began. Other workers continue its work. */
export function isAbandoned({ signal }: Pick<Activity, 'signal'>): boolean {
  return signal.aborted && signal.reason === ('lease-lost' satisfies StopCause);
}

export interface CallActivity extends Activity {
  /**
   * Resolves when no job needs to wait for the call: the call waits for a person or for a slot, or
   * the engine closes.
   */
  readonly parked: Promise<void>;
  park(): void;
}

type CallLimits = Pick<Concurrency, 'callsPerServer' | 'heldCalls'>;

interface CallUnderWay {
  readonly runId: string;
  readonly server: string;
  readonly controller: AbortController;
  readonly park: () => void;
  isParked: boolean;
}

/**
 * The model and tool calls in progress in this process, for stopping them. The state of a run is in
 * the store.
 */
export class Activities {
  readonly #turns = new Map<string, AbortController>();
  readonly #calls = new Map<string, CallUnderWay>();
  /** Waiting calls by server, in order of arrival. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #granted = new Grants();
  /** Number of calls in flight by server, without the parked ones. */
  readonly #underWay = new Map<string, number>();
  /** Number of open input requests of each call that waits with its connection open. */
  readonly #held = new Map<string, number>();
  readonly #onRoom: (callId: string) => void;
  readonly #limits: CallLimits;

  /**
   * `onRoom` receives the id of each call that `hasRoom` refused, when a slot is reserved for it.
   */
  constructor(onRoom: (callId: string) => void, limits: CallLimits = DEFAULT_CONCURRENCY) {
    this.#onRoom = onRoom;
    this.#limits = limits;
  }

  /** Maximum number of calls that wait for a person with an open connection to their server. */
  get maxHeldCalls(): number {
    return this.#limits.heldCalls;
  }

  hasTurn(runId: string): boolean {
    return this.#turns.has(runId);
  }

  /**
   * Returns whether the call may begin: its last attempt has ended, and its server has fewer calls
   * in progress than the limit. Calls that wait for a person are not counted. A refused call is
   * queued until `onRoom` receives it with a reserved slot; it then takes the slot with `hasRoom`,
   * or releases it with `forgo`.
   */
  hasRoom({ id, server }: Pick<ToolCall, 'id' | 'server'>): boolean {
    if (
      !this.#calls.has(id) &&
      (this.#granted.delete(id) || this.#used(server) < this.#limits.callsPerServer)
    ) {
      this.#waiting.get(server)?.delete(id);
      return true;
    }
    this.#waiting.set(server, (this.#waiting.get(server) ?? new Set()).add(id));
    return false;
  }

  /** Releases the slot that was reserved for a call that does not begin. */
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
      // Withdraws the open input requests of the call.
      controller.abort('ended' satisfies StopCause);
      release();
    };
    return { signal: controller.signal, parked, park, end };
  }

  /**
   * Takes a slot for a call that waits for a person with its connection open. Returns the function
   * that releases it, or undefined when no slot is free.
   */
  hold(callId: string): (() => void) | undefined {
    const requests = this.#held.get(callId) ?? 0;
    if (requests === 0 && this.#held.size >= this.maxHeldCalls) return undefined;
    this.#held.set(callId, requests + 1);
    return () => {
      const left = (this.#held.get(callId) ?? 1) - 1;
      if (left === 0) this.#held.delete(callId);
      else this.#held.set(callId, left);
    };
  }

  /** Stops the turn and the calls of one run. */
  stopRun(runId: string): void {
    this.#turns.get(runId)?.abort('run-stopped' satisfies StopCause);
    for (const call of this.#calls.values())
      if (call.runId === runId) call.controller.abort('run-stopped' satisfies StopCause);
  }

  /** Stops one call; its run continues. */
  stopCall(id: string): void {
    this.#calls.get(id)?.controller.abort('call-stopped' satisfies StopCause);
  }

  /** Returns the calls in progress, and the runs of all turns and calls in progress. */
  inProgress(): { readonly runIds: ReadonlySet<string>; readonly callIds: ReadonlySet<string> } {
    const runIds = new Set(this.#turns.keys());
    for (const { runId } of this.#calls.values()) runIds.add(runId);
    return { runIds, callIds: new Set(this.#calls.keys()) };
  }

  /** Stops every turn. Calls continue, because a tool may be about to respond. */
  stopTurns(): void {
    for (const controller of this.#turns.values()) controller.abort('shutdown' satisfies StopCause);
  }

  /** Whether the call is in progress here, or waits here for room on its server. */
  knowsCall(id: string): boolean {
    return (
      this.#calls.has(id) ||
      this.#granted.get(id) !== undefined ||
      [...this.#waiting.values()].some((waiting) => waiting.has(id))
    );
  }

  /** Stops every turn and call, because other workers continue them. */
  abandon(): void {
    for (const controller of this.#turns.values())
      controller.abort('lease-lost' satisfies StopCause);
    for (const call of this.#calls.values())
      call.controller.abort('lease-lost' satisfies StopCause);
  }

  /** Stops waiting for every call; the calls themselves are not stopped. */
  parkCalls(): void {
    for (const call of this.#calls.values()) call.park();
  }

  /** Slots of a server that are in use or reserved. */
  #used(server: string): number {
    return (this.#underWay.get(server) ?? 0) + this.#granted.countOf(server);
  }

  /** Reserves the free slots of a server for its waiting calls, in order of arrival. */
  #giveRoom(server: string): void {
    const waiting = this.#waiting.get(server);
    if (waiting === undefined) return;
    for (const id of waiting) {
      if (this.#used(server) >= this.#limits.callsPerServer) return;
      // A call whose last attempt still runs gets its slot when that attempt ends.
      if (this.#calls.has(id)) continue;
      waiting.delete(id);
      this.#granted.set(id, server);
      this.#onRoom(id);
    }
    if (waiting.size === 0) this.#waiting.delete(server);
  }
}

/** Calls with a reserved slot, and their servers. */
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
