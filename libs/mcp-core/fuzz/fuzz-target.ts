/** The session a conversation opens before it is fuzzed; modern has none. */
export type FuzzSession = 'modern' | '2025-03-26' | '2025-11-25';

export interface FuzzMessage {
  /** The line as sent, without its newline. */
  readonly bytes: Buffer;
  /** The same as a JSON value; absent where the line is no JSON or is over the limit. */
  readonly json?: { readonly value: unknown };
}

/** A way to a server under test. */
export interface FuzzTarget {
  readonly name: string;
  /** Whether lines are sent as text, be they JSON or not. */
  readonly isText: boolean;
  /** Connects to a fresh server; `answered` is called with each message that comes back, parsed. */
  open(answered: (value: unknown) => void): Promise<FuzzConnection>;
}

export interface FuzzConnection {
  /** Sends all, in order, without waiting for answers. */
  send(messages: readonly FuzzMessage[]): void;
  /** Resolves when the connection and what it owns is gone. */
  close(): Promise<void>;
}
