import type { FollowedChange } from '../ports/server-directory.ts';

/** Maximum number of pending changes; beyond it they are replaced by a single `missed`. */
const MAX_PENDING = 1000;

/**
 * The changes of a server that one reader has not read. A pending change is held once, however often
 * it occurred.
 */
export class PendingChanges {
  readonly #pending = new Map<string, FollowedChange>();
  #woken: PromiseWithResolvers<void> | undefined;
  #isEnded = false;

  add(change: FollowedChange): void {
    const key = change.kind === 'resource' ? `resource ${change.uri}` : change.kind;
    if (this.#isEnded || this.#pending.has('missed')) return;
    if (this.#pending.size >= MAX_PENDING && !this.#pending.has(key)) {
      this.miss();
      return;
    }
    this.#pending.set(key, change);
    this.#wake();
  }

  /** Replaces the pending changes by a single `missed`. */
  miss(): void {
    if (this.#isEnded) return;
    this.#pending.clear();
    this.#pending.set('missed', { kind: 'missed' });
    this.#wake();
  }

  /** Accepts no further changes; those that are pending can still be read. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Ends without the pending changes. */
  discard(): void {
    this.#pending.clear();
    this.end();
  }

  /** Yields each change as it comes, until the end. */
  async *read(): AsyncGenerator<FollowedChange> {
    for (;;) {
      for (const [key, change] of this.#pending) {
        this.#pending.delete(key);
        yield change;
      }
      if (this.#hasEnded()) return;
      this.#woken = Promise.withResolvers();
      await this.#woken.promise;
    }
  }

  #hasEnded(): boolean {
    return this.#isEnded && this.#pending.size === 0;
  }

  #wake(): void {
    this.#woken?.resolve();
    this.#woken = undefined;
  }
}
