import { isJsonObject } from './envelope.ts';

/** How much of a peer is read. */
export interface FlowRates {
  /** Bytes a second, in which each message counts as 512 more, and each request as 64 KiB. Whoever sends faster is read no faster. */
  readonly bytesPerSecond: number;
  /** Bytes that may come at once before the rate applies. */
  readonly burstBytes: number;
  /** How long the rate may be the limit without a break, in milliseconds. */
  readonly patienceMs: number;
  /** Lines and events a second that are no messages. */
  readonly unreadablePerSecond: number;
  /** Unreadable lines that may come at once. */
  readonly unreadableBurst: number;
}

export const FLOW_RATES: FlowRates = {
  bytesPerSecond: 16 * 1024 * 1024,
  burstBytes: 64 * 1024 * 1024,
  patienceMs: 10_000,
  unreadablePerSecond: 20,
  unreadableBurst: 1000,
};

/** What reading a message costs beside its bytes. */
const MESSAGE_BYTES = 512;
/** What a request costs beside its bytes: it is dispatched and answered, over HTTP by a request of its own. */
const REQUEST_BYTES = 64 * 1024;
/** A peer that is given so many milliseconds' worth of reading back has stopped flooding. */
const RECOVERED_MS = 1000;

/** Keeps a peer that floods from taking the time of the others: slows it down, and ends it when it does not stop. */
export class FlowGuard {
  readonly #onExceeded: (problem: string) => void;
  readonly #rates: FlowRates;
  readonly #now: () => number;
  #bytesLeft: number;
  #unreadableLeft: number;
  #refilledAt: number;
  #slowedSince: number | undefined;
  #isExceeded = false;

  /** `onExceeded` is called once, with what the peer did ("it sent more than …"). */
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

  /** Counts bytes that were read. Returns for how many milliseconds nothing more is to be read. */
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

  /** Counts a message, or the messages of a batch. */
  message(value: unknown): void {
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const each of messages) this.#bytesLeft -= isRequest(each) ? REQUEST_BYTES : MESSAGE_BYTES;
  }

  /** Counts a line or an event that is no message. */
  unreadable(): void {
    this.#unreadableLeft -= 1;
    if (this.#unreadableLeft >= 0) return;
    this.#refill();
    const { unreadablePerSecond, unreadableBurst } = this.#rates;
    if (this.#unreadableLeft < 0)
      this.#exceed(
        `it sent more than ${String(unreadableBurst)} lines that are no messages, and more than ${String(unreadablePerSecond)} a second`,
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
