import type { BreakerStatus } from '../ports/tool-catalogue.ts';
import type { Clock } from '../ports/clock.ts';

export interface CallBreakerOptions {
  readonly clock: Clock;
  /** Returns 0 to 1. */
  readonly random: () => number;
  /** Called when the breaker opens or closes. */
  readonly onChange: (status: BreakerStatus) => void;
}

/** An admitted call. Reports after the first are ignored. */
export interface Trial {
  /** Reports a response of any kind. */
  answered(): void;
  /**
   * Reports that the call was lost, timed out or could not be sent. Failures with the same
   * `incident` count once.
   */
  failed(incident?: object): void;
  /** Reports that the call ended without evidence about the server. */
  dropped(): void;
}

const FAILURES = 5;
const WINDOW_MS = 60_000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
/** Maximum jitter as a share of the delay. */
const JITTER = 0.25;

/**
 * Circuit breaker for calls of one server. Five consecutive failures within a minute open it for 1
 * s. Then one call is tried: success closes it, failure opens it for twice as long, at most 60 s.
 */
export class CallBreaker {
  readonly #options: CallBreakerOptions;
  /** Times of consecutive failures within the window. */
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
    // A wait beyond the maximum means that the clock was set back.
    return {
      state: waitMs > 0 && waitMs <= MAX_DELAY_MS ? 'open' : 'half_open',
      failures,
      opensAgainAt: this.#opensAgainAt,
    };
  }

  /** Admits a call, or returns `undefined` if no call may be made now. */
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

  /** Forgets all failures and closes the breaker. */
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
    // Failures of calls admitted before it opened are no new evidence.
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

  /** Ends the probe. Returns whether the call was the probe. */
  #release(call: object): boolean {
    if (this.#probe !== call) return false;
    this.#probe = undefined;
    return true;
  }
}
