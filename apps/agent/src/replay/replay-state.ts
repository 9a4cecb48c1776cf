/** Early end of a replay: the first difference, or the point where the recorded run was stopped. */
export type ReplayEnd =
  | { readonly type: 'difference'; readonly message: string }
  | { readonly type: 'stopped' };

/** Shared state of one replay. */
export class ReplayState {
  /** Current turn of the replayed run. */
  turn = 1;
  point: 'begin' | 'plan' = 'begin';
  /** Resolves with the first reported end. */
  readonly ended: Promise<ReplayEnd>;
  readonly #end: (end: ReplayEnd) => void;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<ReplayEnd>();
    this.ended = promise;
    this.#end = resolve;
  }

  differ(message: string): void {
    this.#end({ type: 'difference', message });
  }

  stop(): void {
    this.#end({ type: 'stopped' });
  }
}
