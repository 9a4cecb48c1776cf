import type { Epoch } from '../../ports/store/epoch.ts';
import type { Run, RunCore } from '../../ports/store/run.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';

/** Maximum number of runs, and of calls, that are remembered. */
const MAX_KNOWN = 1000;

/** All but the number of turns does not change while a run is in progress. */
export interface KnownRun {
  readonly servers: Run['servers'];
  readonly toolRules: Run['toolRules'];
  readonly epoch: Epoch;
  /** The columns of the run that are not part of a `RunCore`. A run in progress has no answer. */
  readonly long: Omit<Run, keyof RunCore>;
  /** Number of turns that ended here. Other processes may have ended more. */
  readonly turns: number;
}

/** A call as it was planned, with the limit of its run. */
export interface PlannedCall {
  readonly call: ToolCall;
  readonly callMaxMs: number;
}

/**
 * The work that this worker stored and remembers, so that the next step need not read it. A step
 * checks in its transaction what may have changed.
 */
export class KnownWork {
  readonly #runs = new Map<string, KnownRun>();
  readonly #calls = new Map<string, PlannedCall>();

  run(id: string): KnownRun | undefined {
    return this.#runs.get(id);
  }

  addRun(id: string, run: KnownRun): void {
    add(this.#runs, id, run);
  }

  /** Notes that a turn of a run has ended, unless it was the last one. */
  endTurn(id: string, turns: number): void {
    const run = this.#runs.get(id);
    if (run !== undefined) this.#runs.set(id, { ...run, turns });
  }

  forgetRun(id: string): void {
    this.#runs.delete(id);
  }

  /** Remembers a call until its first job begins. Not for calls whose jobs other processes may get. */
  addCall(planned: PlannedCall): void {
    add(this.#calls, planned.call.id, planned);
  }

  takeCall(id: string): PlannedCall | undefined {
    const planned = this.#calls.get(id);
    this.#calls.delete(id);
    return planned;
  }
}

function add<T>(known: Map<string, T>, id: string, value: T): void {
  known.delete(id);
  known.set(id, value);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
}
