import type { TestHooks } from '../app.ts';
import type { Io } from './io.ts';

/** The process around a command. */
export interface CommandContext {
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  /** Folder that is the repository when `signalbox` runs in a checkout. */
  readonly repository: string;
  readonly version: string;
}

export interface Invocation extends CommandContext {
  readonly io: Io;
  /** Words after the name of the command. */
  readonly rest: readonly string[];
  readonly hooks: TestHooks;
}

export interface Command {
  /** Returns the text of `signalbox COMMAND --help`; `rest` has the words that come with it. */
  help(rest: readonly string[]): string;
  /** Resolves with the exit code. @throws UsageError, ConfigError, ServiceError, StoreError, EngineError, ReplayError */
  run(invocation: Invocation): Promise<number>;
}

/** A line in the list of commands. */
export interface CommandEntry {
  /** Words after `signalbox`. */
  readonly usage: string;
  /** Fits on the line of `usage`. */
  readonly summary: string;
  /** Imports the command, so that a start does not load the others. */
  readonly load: () => Promise<Command>;
}
