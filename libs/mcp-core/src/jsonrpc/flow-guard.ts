import { isJsonObject } from './envelope.ts';

/** Limits on the rate at which messages of a peer are read. */
export interface FlowRates {
  /**
   * Bytes per second. Each message counts as 512 bytes more, each request as 64 KiB more. Faster
   * senders are throttled.
   */
  readonly bytesPerSecond: number;
  /** Bytes that may arrive in a burst before the rate applies. */
  readonly burstBytes: number;
  /** Milliseconds of uninterrupted throttling before the limit counts as exceeded. */
  readonly patienceMs: number;
  /** Unreadable lines or events per second. */
  readonly unreadablePerSecond: number;
  /** Unreadable lines that may arrive in a burst. */
  readonly unreadableBurst: number;
}

export const FLOW_RATES: FlowRates = {
  bytesPerSecond: 16 * 1024 * 1024,
  burstBytes: 64 * 1024 * 1024,
  patienceMs: 10_000,
  unreadablePerSecond: 20,
  unreadableBurst: 1000,
};

/** Cost of reading a message, beside its bytes. */
const MESSAGE_BYTES = 512;
/**
 * Cost of a request, beside its bytes: dispatching it and sending its response, over HTTP by a
 * separate POST.
 */
const REQUEST_BYTES = 64 * 1024;
/** Milliseconds' worth of accumulated allowance after which the peer is no longer throttled. */
const RECOVERED_MS = 1000;

/**
 * Protects other connections from a flooding peer: throttles the peer first, then reports it when
 * the flood continues.
 */
export class FlowGuard {
  readonly #onExceeded: (problem: string) => void;
  readonly #rates: FlowRates;
  readonly #now: () => number;
  #bytesLeft: number;
  #unreadableLeft: number;
  #refilledAt: number;
  #slowedSince: number | undefined;
  #isExceeded = false;

  /** `onExceeded` is called once, with a description of the violation ("it sent more than …"). */
  constructor(
    onExceeded: (problem: string) => void,
    rates: FlowRates = FLOW_RATES,
    now: () => number = () => performance.now(),
  ) {
    this.#onExceeded = onExceeded;
    this.#rates = rates;
    this.#now = now;
    this.#bytesLeft = rates.burstBytes;
    this.#unreadableLeft = rates.unreadableBurst;
    this.#refilledAt = now();
  }

  /** Counts bytes that were read. Returns how many milliseconds reading must pause. */
  read(byteCount: number): number {
    this.#refill();
    this.#bytesLeft -= byteCount;
    const { bytesPerSecond, patienceMs } = this.#rates;
    if (this.#bytesLeft >= 0) return 0;
    this.#slowedSince ??= this.#refilledAt;
    if (this.#refilledAt - this.#slowedSince >= patienceMs)
      this.#exceed(
        `it sent more than ${String(bytesPerSecond / 1024 / 1024)} MiB or ${String(bytesPerSecond / REQUEST_BYTES)} requests a second for ${String(patienceMs / 1000)} s`,
      );
    return Math.ceil((-this.#bytesLeft / bytesPerSecond) * 1000);
  }

  /** Counts a message, or each message of a batch. */
  message(value: unknown): void {
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const each of messages) this.#bytesLeft -= isRequest(each) ? REQUEST_BYTES : MESSAGE_BYTES;
  }

  /** Counts an unreadable line or event. */
  unreadable(): void {
    this.#unreadableLeft -= 1;
    if (this.#unreadableLeft >= 0) return;
    this.#refill();
    const { unreadablePerSecond, unreadableBurst } = this.#rates;
    if (this.#unreadableLeft < 0)
      this.#exceed(
        `it sent more than ${String(unreadableBurst)} lines that are not messages, and more than ${String(unreadablePerSecond)} a second`,
      );
  }

  #refill(): void {
    const now = this.#now();
    const seconds = (now - this.#refilledAt) / 1000;
    const { bytesPerSecond, burstBytes, unreadablePerSecond, unreadableBurst } = this.#rates;
    this.#refilledAt = now;
    this.#bytesLeft = Math.min(burstBytes, this.#bytesLeft + seconds * bytesPerSecond);
    this.#unreadableLeft = Math.min(
      unreadableBurst,
      this.#unreadableLeft + seconds * unreadablePerSecond,
    );
    if (this.#bytesLeft >= Math.min(burstBytes, (RECOVERED_MS / 1000) * bytesPerSecond))
      this.#slowedSince = undefined;
  }

  #exceed(problem: string): void {
    if (this.#isExceeded) return;
    this.#isExceeded = true;
    this.#onExceeded(problem);
  }
}

function isRequest(value: unknown): boolean {
  return isJsonObject(value) && value.method !== undefined && value.id !== undefined;
}
