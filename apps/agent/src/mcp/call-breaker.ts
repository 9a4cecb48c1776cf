import type { BreakerStatus } from '../ports/tool-registry.ts';
import type { Clock } from '../ports/clock.ts';

export interface CallBreakerOptions {
  readonly clock: Clock;
  /** Gives 0 to 1. */
  readonly random: () => number;
  /** The breaker opened, or closed again. */
  readonly onChange: (status: BreakerStatus) => void;
}

/** One call that may be made. Only the first thing that is said of it counts. */
export interface Trial {
  /** The server gave a sign of life. */
  answered(): void;
  /** The call was lost, timed out or could not be sent. What ends many calls at once is one `incident`. */
  failed(incident?: object): void;
  /** Nothing was learned. */
  dropped(): void;
}

const FAILURES = 5;
const WINDOW_MS = 60_000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
/** Share of the delay by which it may be longer. */
const JITTER = 0.25;

/**
 * Keeps calls from a server that does not answer them. Five failures in a row within a minute open it, for 1 s; then one call is tried, which closes it or opens it for twice as long, at
 * most 60 s.
 */
export class CallBreaker {
  readonly #options: CallBreakerOptions;
  /** When each failure in a row happened; those that are too old are forgotten. */
  #failedAt: number[] = [];
  #openings = 0;
  #opensAgainAt: number | undefined;
  #probe: object | undefined;
  #lastIncident: object | undefined;

  constructor(options: CallBreakerOptions) {
    this.#options = options;
  }

  get status(): BreakerStatus {
    const failures = this.#failedAt.length;
    if (this.#opensAgainAt === undefined) return { state: 'closed', failures };
    const waitMs = this.#opensAgainAt - this.#options.clock.now();
    // A longer wait than the longest is a clock that was set back.
    return {
      state: waitMs > 0 && waitMs <= MAX_DELAY_MS ? 'open' : 'half_open',
      failures,
      opensAgainAt: this.#opensAgainAt,
    };
  }

  /** `undefined` when no call may be made now. */
  begin(): Trial | undefined {
    const { state } = this.status;
    if (state === 'open' || (state === 'half_open' && this.#probe !== undefined)) return undefined;
    const call = {};
    if (state === 'half_open') this.#probe = call;
    let isSettled = false;
    const once = (settle: () => void) => (): void => {
      if (!isSettled) settle();
      isSettled = true;
    };
    return {
      answered: once(() => this.#close()),
      failed: (incident) => once(() => this.#fail(call, incident))(),
      dropped: once(() => this.#release(call)),
    };
  }

  /** Forgets every failure. */
  reset(): void {
    this.#close();
  }

  #close(): void {
    const wasOpen = this.#opensAgainAt !== undefined;
    this.#failedAt = [];
    this.#openings = 0;
    this.#opensAgainAt = undefined;
    this.#probe = undefined;
    if (wasOpen) this.#options.onChange(this.status);
  }

  #fail(call: object, incident: object | undefined): void {
    const isProbe = this.#release(call);
    // What was begun before it opened tells nothing new.
    if (this.#opensAgainAt !== undefined && !isProbe) return;
    if (incident !== undefined && incident === this.#lastIncident) return;
    this.#lastIncident = incident;
    const now = this.#options.clock.now();
    this.#failedAt = [...this.#failedAt.filter((at) => now - at < WINDOW_MS), now].slice(-FAILURES);
    if (isProbe || this.#failedAt.length >= FAILURES) this.#open();
  }

  #open(): void {
    const { clock, random, onChange } = this.#options;
    const delayMs = FIRST_DELAY_MS * 2 ** Math.min(this.#openings, 10) * (1 + JITTER * random());
    this.#openings += 1;
    this.#opensAgainAt = clock.now() + Math.round(Math.min(delayMs, MAX_DELAY_MS));
    onChange(this.status);
  }

  /** Whether it was the call that was tried. */
  #release(call: object): boolean {
    if (this.#probe !== call) return false;
    this.#probe = undefined;
    return true;
  }
}
