import type { Clock } from '../ports/clock.ts';
import type { ServerStatus } from '../ports/tool-registry.ts';

/** Lifecycle stage of a server. */
export interface ServerStage {
  readonly state: ServerStatus['state'];
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  readonly restarts: number;
  /** Reason of the latest failure. */
  readonly error: string | undefined;
}

/** Tracks the lifecycle stage of a server, beginning with `connecting`. */
export class StageTracker {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #stage: ServerStage;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
    this.#stage = { state: 'connecting', since: clock.now(), restarts: 0, error: undefined };
  }

  get current(): ServerStage {
    return this.#stage;
  }

  enter(state: ServerStage['state'], error?: string): void {
    const since = state === this.#stage.state ? this.#stage.since : this.#clock.now();
    this.#stage = { ...this.#stage, state, since, error };
    this.#onChange();
  }

  /** Enters `connecting` and counts a restart. `error`: reason of the restart. */
  restart(error?: string): void {
    this.#stage = { ...this.#stage, restarts: this.#stage.restarts + 1 };
    this.enter('connecting', error);
  }

  /** Counts the restart of one of several connections. */
  countRestart(): void {
    this.#stage = { ...this.#stage, restarts: this.#stage.restarts + 1 };
    this.#onChange();
  }
}
