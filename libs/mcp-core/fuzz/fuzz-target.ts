/** The session that a conversation opens before fuzzing; `modern` has none. */
export type FuzzSession = 'modern' | '2025-03-26' | '2025-11-25';

export interface FuzzMessage {
  /** The sent line, without its newline. */
  readonly bytes: Buffer;
  /** The line as a JSON value; absent when it is not JSON or over the limit. */
  readonly json?: { readonly value: unknown };
}

/** A connection method to a server under test. */
export interface FuzzTarget {
  readonly name: string;
  /** Whether lines are sent as text, JSON or not. */
  readonly isText: boolean;
  /** Connects to a new server; `answered` is called with each parsed message of the server. */
  open(answered: (value: unknown) => void): Promise<FuzzConnection>;
}

export interface FuzzConnection {
  /** Sends all messages in order, without waiting for responses. */
  send(messages: readonly FuzzMessage[]): void;
  /** Resolves when the connection and its resources are released. */
  close(): Promise<void>;
}
