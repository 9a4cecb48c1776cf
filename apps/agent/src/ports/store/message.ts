import type { Message } from '../llm-provider.ts';

/** A message of a run's conversation. */
export interface StoredMessage extends Message {
  readonly id: string;
  readonly turn: number;
}

/** A message of a run with its position. */
export interface RunMessage extends StoredMessage {
  readonly runId: string;
  /** Position among the messages of its run. */
  readonly position: number;
}

/** A message of a thread with its position. */
export interface ThreadMessage extends RunMessage {
  readonly threadPosition: number;
}

/** Range of a thread's messages. */
export interface ThreadMessageOptions {
  /** Position of a run in the thread: only messages of earlier runs are returned. */
  readonly before?: number;
  /** Only messages after this position are returned. */
  readonly after?: Pick<ThreadMessage, 'threadPosition' | 'position'>;
  readonly limit?: number;
}

/** Text of an unfinished message, overwritten while the model writes. */
export interface PartialMessage {
  readonly messageId: string;
  readonly text: string;
}

/** A model call in progress. */
export interface ActiveTurn {
  readonly turn: number;
  /** Id of the worker that makes the call. */
  readonly owner: string;
  readonly messageId: string;
}

export interface MessageReader {
  messages(runId: string): Promise<readonly StoredMessage[]>;
  /** Returns messages of a run in order, those behind the position `after`. */
  messagePage(
    runId: string,
    options: { readonly after?: number | undefined; readonly limit: number },
  ): Promise<readonly RunMessage[]>;
  /**
   * Returns the messages of a thread in order of runs and positions, without those of runs that were
   * cancelled before they began, unless they were cancelled for a later run.
   */
  threadMessages(
    threadId: string,
    options?: ThreadMessageOptions,
  ): Promise<readonly ThreadMessage[]>;
  partial(runId: string): Promise<PartialMessage | undefined>;
  /** Returns the model call in progress of the run. */
  activeTurn(runId: string): Promise<ActiveTurn | undefined>;
}

export interface MessageWriter {
  insertMessage(runId: string, message: StoredMessage): Promise<void>;
  /** Deletes the messages of turns after `turn`. */
  deleteMessagesAfter(runId: string, turn: number): Promise<void>;
  /** Replaces the partial text of the run; `undefined` removes it. */
  savePartial(runId: string, partial: PartialMessage | undefined): Promise<void>;
  /**
   * Claims the next attempt of a model call, identified by its `messageId`. Returns false, and
   * stores nothing, when an attempt of the run is active.
   */
  startTurn(turn: ActiveTurn & { readonly runId: string }): Promise<boolean>;
  /** Ends the attempt if it is active. Returns whether it was active. */
  endTurn(
    messageId: string,
    status: 'completed' | 'failed' | 'interrupted' | 'cancelled',
  ): Promise<boolean>;
}
