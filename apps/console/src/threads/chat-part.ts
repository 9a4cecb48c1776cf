/** State of a tool call in a conversation. `asking`: a person must answer first. */
export type ChatCallState = 'running' | 'asking' | 'done' | 'failed' | 'cancelled';

/** A text of the model. */
export interface ChatText {
  readonly kind: 'text' | 'reasoning';
  readonly key: string;
  readonly turn: number;
  readonly text: string;
  readonly isWriting: boolean;
}

/** A tool call. */
export interface ChatCall {
  readonly kind: 'call';
  readonly key: string;
  readonly turn: number;
  /** Wire name, such as `sqlite__read_query`. */
  readonly name: string;
  readonly arguments: unknown;
  readonly state: ChatCallState;
  /** Last progress, or the reason of a failure. */
  readonly note?: string | undefined;
  /** Text of the result, as far as it was kept. */
  readonly result?: string | undefined;
  /** Event that planned the call; undefined for a call of a stored message. */
  readonly seq?: number | undefined;
}

/** A part of the answer to a prompt, in order. */
export type ChatPart = ChatText | ChatCall;
