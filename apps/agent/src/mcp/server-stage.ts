import type { Clock } from '../ports/clock.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';

export type StageState = Exclude<ServerStatus['state'], 'invalid'>;

/** Next step of a draining server once no call is in flight. */
export type AfterDraining = 'restart' | 'end';

/** Lifecycle stage of a server. */
export interface ServerStage {
  readonly state: StageState;
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  readonly restarts: number;
  /** Reason of the latest failure. */
  readonly error: string | undefined;
  /** Whether a healthy server is being restarted: its tools are still offered, and calls wait. */
  readonly isReplaced: boolean;
  /** Set while the server is draining. */
  readonly afterDraining: AfterDraining | undefined;
}

interface Transition {
  readonly from: readonly StageState[];
  readonly to: StageState;
}

/** Every change of the state of a server. A change to `connecting` counts as a restart. */
export const STAGE_TRANSITIONS = {
  /** The first connection is open, and its tools were read. */
  open: { from: ['connecting'], to: 'ready' },
  /** The server could not be started, or its last connection ended. */
  fail: { from: ['connecting', 'ready', 'draining'], to: 'failed' },
  /** The server could not be started, because a person must log in. */
  needLogin: { from: ['connecting'], to: 'needs_login' },
  /** Starts a failed server again after a delay. */
  retry: { from: ['failed'], to: 'connecting' },
  /** Starts a server without a connection on request. */
  reconnect: { from: ['connecting', 'needs_login', 'failed', 'drained'], to: 'connecting' },
  /** Restarts a server with a connection on purpose. */
  replace: { from: ['ready', 'draining'], to: 'connecting' },
  /** Accepts no new calls and waits for those in flight. */
  drain: { from: ['ready', 'draining'], to: 'draining' },
  /** Ends the server until it is reconnected. */
  end: {
    from: ['connecting', 'ready', 'needs_login', 'failed', 'draining', 'drained'],
    to: 'drained',
  },
  /** Ends the server for the rest of this process. */
  close: {
    from: ['connecting', 'ready', 'needs_login', 'failed', 'draining', 'drained', 'closed'],
    to: 'closed',
  },
} as const satisfies { readonly [name: string]: Transition };

export type StageTransition = keyof typeof STAGE_TRANSITIONS;

/** Tracks the lifecycle stage of a server, beginning with `connecting`. */
export class StageTracker {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #stage: ServerStage;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
    this.#stage = {
      state: 'connecting',
      since: clock.now(),
      restarts: 0,
      error: undefined,
      isReplaced: false,
      afterDraining: undefined,
    };
  }

  get current(): ServerStage {
    return this.#stage;
  }

  /**
   * Applies a transition. `error`: reason of a failure or retry. `afterDraining`: required to drain.
   * @throws Error when the transition is not allowed in the current state
   */
  move(
    transition: StageTransition,
    { error, afterDraining }: Partial<Pick<ServerStage, 'error' | 'afterDraining'>> = {},
  ): void {
    const { from, to }: Transition = STAGE_TRANSITIONS[transition];
    const { state, since, restarts, isReplaced } = this.#stage;
    if (!from.includes(state))
      throw new Error(
        `The transition ${transition} is not allowed for a server that is ${state}; it needs ${from.join(', ')}.`,
      );
    this.#stage = {
      state: to,
      since: to === state ? since : this.#clock.now(),
      restarts: to === 'connecting' ? restarts + 1 : restarts,
      error,
      isReplaced: to === 'connecting' && (transition === 'replace' || isReplaced),
      afterDraining,
    };
    this.#onChange();
  }

  /** Counts the restart of one of several connections. */
  countRestart(): void {
    this.#stage = { ...this.#stage, restarts: this.#stage.restarts + 1 };
    this.#onChange();
  }
}
