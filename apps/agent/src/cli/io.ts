import type { Losses } from './lossy-output.ts';

/** The terminal a command talks to; `main.ts` makes the real one. */
export interface Io {
  /** To stdout, verbatim; held back while a question is open. */
  out(text: string): void;
  /** To stderr, verbatim; lost when it cannot be written. */
  err(text: string): void;
  /** Texts for stderr that were lost; undefined while there are none. */
  losses?(): Losses | undefined;
  /** Whether stdout is a terminal that can be redrawn. */
  readonly isTerminal: boolean;
  /** Whether a person can be asked on stdin. */
  readonly canAsk: boolean;
  readonly columns: number;
  /** Asks one line; undefined when aborted, or when the input has ended. One question at a time. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** Hears Ctrl-C, SIGTERM and SIGHUP; returns the unsubscribe function. */
  onInterrupt(listener: () => void): () => void;
}

/** The command line cannot be understood; shown on one line, exit code 2. */
export class UsageError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UsageError';
  }
}
