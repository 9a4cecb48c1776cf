import type { Losses } from './lossy-output.ts';

/** The terminal a command uses; `main.ts` makes the real one. */
export interface Io {
  /** Writes to stdout, verbatim: the result of the command. Held back while a question is open. */
  out(text: string): void;
  /** Writes to stderr, verbatim: everything else. Held back while a question is open, and lost when it cannot be written. */
  err(text: string): void;
  /** Texts for stderr that were lost; undefined while there are none. */
  losses?(): Losses | undefined;
  /** Whether stderr is a terminal, on which a line can be redrawn. */
  readonly isTerminal: boolean;
  /** Whether stdout is a terminal and not a file or another program. */
  readonly isOutTerminal: boolean;
  /** Whether a person can be asked: on stderr, answering on stdin. */
  readonly canAsk: boolean;
  /** Width of the terminal. */
  readonly columns: number;
  /** Asks for one line; undefined when aborted, or when the input has ended. One question at a time. */
  ask(question: string, signal: AbortSignal, options?: AskOptions): Promise<string | undefined>;
  /** Reads stdin to its end. */
  readInput(): Promise<string>;
  /** Calls the listener at Ctrl-C, SIGTERM and SIGHUP; returns the unsubscribe function. */
  onInterrupt(listener: () => void): () => void;
}

export interface AskOptions {
  /** Whether the typed characters stay invisible; default false. */
  readonly isHidden?: boolean;
}

/** Error for a command line that cannot be understood; shown on one line, exit code 2. */
export class UsageError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UsageError';
  }
}
