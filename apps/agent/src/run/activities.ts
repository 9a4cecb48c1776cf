/** Why the engine waits no longer for a model, a tool, or the answer to a question of its server. */
export type StopCause = 'run-stopped' | 'shutdown' | 'ended';

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

/** The model and tool calls that run in this process now. They are the means to stop a run; what is true of it is in the store. */
export class Activities {
  readonly #turns = new Map<string, AbortController>();
  readonly #calls = new Map<string, { readonly runId: string; readonly controller: AbortController; readonly park: () => void }>();

  hasTurn(runId: string): boolean {
    return this.#turns.has(runId);
  }

  hasCall(callId: string): boolean {
    return this.#calls.has(callId);
  }

  beginTurn(runId: string): Activity {
    const controller = new AbortController();
    this.#turns.set(runId, controller);
    return { signal: controller.signal, end: () => void this.#turns.delete(runId) };
  }

  beginCall(runId: string, callId: string): CallActivity {
    const controller = new AbortController();
    const { promise: parked, resolve: park } = Promise.withResolvers<void>();
    this.#calls.set(callId, { runId, controller, park });
    const end = (): void => {
      this.#calls.delete(callId);
      // What its server still asks is of no use.
      controller.abort('ended' satisfies StopCause);
    };
    return { signal: controller.signal, parked, park, end };
  }

  /** Stops the turn and the calls of one run and of no other. */
  stopRun(runId: string): void {
    this.#turns.get(runId)?.abort('run-stopped' satisfies StopCause);
    for (const call of this.#calls.values()) if (call.runId === runId) call.controller.abort('run-stopped' satisfies StopCause);
  }

  /** Stops every turn; calls go on, since a tool that was asked may be about to answer. */
  stopTurns(): void {
    for (const controller of this.#turns.values()) controller.abort('shutdown' satisfies StopCause);
  }

  /** Lets go of every call; they are not stopped. */
  parkCalls(): void {
    for (const call of this.#calls.values()) call.park();
  }
}
