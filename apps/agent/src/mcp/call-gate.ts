interface Waiter {
  readonly runId: string;
  readonly admit: () => void;
}

/** Counts the runs that have calls on one server and, once made exclusive, admits the calls of one run at a time, in order of arrival. */
export class CallGate {
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiter[] = [];
  #isExclusive = false;

  /** Ids of the runs inside. */
  get runs(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** From here on calls of different runs are not inside together; those that are already finish as they are. */
  makeExclusive(): void {
    this.#isExclusive = true;
  }

  /** Resolves when the call may be made, with the function that ends it. Rejects with the signal's reason when aborted while waiting. */
  async enter(runId: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#waiting.length > 0 || !this.#isFree(runId)) await this.#turn(runId, signal);
    else this.#count(runId, 1);
    return () => this.#leave(runId);
  }

  #isFree(runId: string): boolean {
    return !this.#isExclusive || this.#running.size === 0 || (this.#running.size === 1 && this.#running.has(runId));
  }

  #turn(runId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        this.#admitWaiting();
        // The reason is what the caller gave to abort with.
        reject(signal.reason as Error);
      };
      const waiter = {
        runId,
        admit: (): void => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#waiting.push(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #leave(runId: string): void {
    this.#count(runId, -1);
    this.#admitWaiting();
  }

  #admitWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#isFree(next.runId); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#count(next.runId, 1);
      next.admit();
    }
  }

  #count(runId: string, change: number): void {
    const count = (this.#running.get(runId) ?? 0) + change;
    if (count === 0) this.#running.delete(runId);
    else this.#running.set(runId, count);
  }
}
