import type { Clock } from '../ports/clock.ts';
import type { SseWriter } from './sse-writer.ts';

const HEARTBEAT_MS = 15_000;

/** Heartbeats of the open event streams. All streams share one timer, so the first heartbeat of a stream comes after at most 15 seconds. */
export class StreamHeartbeats {
  readonly #clock: Clock;
  readonly #writers = new Set<SseWriter>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of open streams. */
  get count(): number {
    return this.#writers.size;
  }

  add(writer: SseWriter): void {
    this.#writers.add(writer);
    this.#cancel ??= this.#clock.after(HEARTBEAT_MS, () => this.#beat());
  }

  remove(writer: SseWriter): void {
    this.#writers.delete(writer);
    if (this.#writers.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #beat(): void {
    this.#cancel = this.#clock.after(HEARTBEAT_MS, () => this.#beat());
    for (const writer of this.#writers) writer.keepAlive();
  }
}
