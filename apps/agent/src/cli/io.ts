import type { Losses } from './lossy-output.ts';

/** Terminal of a command; `main.ts` creates the real one. */
export interface Io {
  /** Writes the result of the command to stdout, verbatim. Deferred while a question is open. */
  out(text: string): void;
  /** Writes everything else to stderr, verbatim. Deferred while a question is open, and lost when stderr cannot be written. */
  err(text: string): void;
  /** Texts for stderr that were lost; undefined when none were. */
  losses?(): Losses | undefined;
  /** Whether stderr is a terminal, on which a line can be redrawn. */
  readonly isTerminal: boolean;
  /** Whether stdout is a terminal and not a file or another program. */
  readonly isOutTerminal: boolean;
  /** Whether stderr can show questions and stdin can read answers. */
  readonly canAsk: boolean;
  /** Width of the terminal. */
  readonly columns: number;
  /** Asks for a line. Returns undefined when aborted and at the end of the input. One question at a time. */
  ask(question: string, signal: AbortSignal, options?: AskOptions): Promise<string | undefined>;
  /** Reads stdin to its end. */
  readInput(): Promise<string>;
  /** Calls the listener at Ctrl-C, SIGTERM and SIGHUP; returns the unsubscribe function. */
  onInterrupt(listener: () => void): () => void;
  /** Called when a service has printed that it is ready. */
  onReady?(): void;
}

export interface AskOptions {
  /** Whether typed characters are not echoed; default false. */
  readonly isHidden?: boolean;
}

/** Error for an invalid command line; printed on one line, exit code 2. */
export class UsageError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UsageError';
  }
}
