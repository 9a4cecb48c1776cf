/** How a replay ended before its run did: at its first difference, or where the recording has no more to say because the run was stopped there. */
export type ReplayEnd =
  | { readonly type: 'difference'; readonly message: string }
  | { readonly type: 'stopped' };

/** What the parts of one replay share. */
export class ReplayState {
  /** The point of the run that the loop has reached. */
  turn = 1;
  point: 'begin' | 'plan' = 'begin';
  /** Resolves with the first end that is reported. */
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
