import type { RunEvent } from '@signalbox/client';

/** A stored event of one type. */
export type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

/** Tokens and cost of model calls. */
export type Usage = EventOf<'usage.updated'>['data']['usage'];

/** Text and other parts of the result of a tool call, shortened. */
export type ResultPreview = EventOf<'tool_call.completed'>['data']['result'];

/** Time that a turn or call spent in one phase. Without `to` it is still in it. */
export interface Span {
  /** `model`: a model call; `waiting`: for its turn, a connection or the next attempt; `running`: at the server; `asking`: for a person. */
  readonly phase: 'model' | 'waiting' | 'running' | 'asking';
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to?: number;
}

/** Fields of every entry. */
interface EntryBase {
  /** Unique in the run and stable. */
  readonly key: string;
  /** First and last event that the entry shows. */
  readonly seq: number;
  readonly lastSeq: number;
  /** Time of the first event, ISO 8601. */
  readonly at: string;
}

/** The task, at the beginning of the run. */
export interface PromptEntry extends EntryBase {
  readonly kind: 'prompt';
  readonly event: EventOf<'run.queued'>;
}

/** A failed attempt of a model call. */
export interface FailedAttempt {
  readonly at: string;
  readonly message: string;
  readonly nextAt?: string | undefined;
}

/** A model call with its attempts. Its message and calls are entries after it. */
export interface TurnEntry extends EntryBase {
  readonly kind: 'turn';
  readonly turn: number;
  readonly model: string;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly stopReason?: string;
  readonly failures: readonly FailedAttempt[];
  readonly usage?: Usage;
  readonly spans: readonly Span[];
}

/** Arguments of a tool call while the model writes them. */
export interface DraftCall {
  readonly name: string;
  readonly text: string;
}

/** A message of the model, complete or not. */
export interface MessageEntry extends EntryBase {
  readonly kind: 'message';
  readonly turn: number | undefined;
  readonly messageId: string;
  readonly text: string;
  readonly reasoning: string;
  /** By position in the message. */
  readonly drafts: readonly DraftCall[];
  readonly state: 'writing' | 'complete' | 'partial' | 'discarded';
}

/** A question to a person. */
export interface QuestionEntry extends EntryBase {
  readonly kind: 'question';
  readonly itemId: string;
  readonly callId: string | undefined;
  readonly opened: EventOf<'inbox.opened'>['data'];
  readonly state: 'open' | 'answered' | 'delivered' | 'void' | 'expired';
  readonly response?: EventOf<'inbox.answered'>['data']['response'];
  readonly reason?: string;
}

/** A tool call. */
export interface CallEntry extends EntryBase {
  readonly kind: 'call';
  readonly callId: string;
  readonly planned: EventOf<'tool_call.planned'>['data'];
  readonly state: CallState;
  readonly attempt: number;
  /** Arguments of a person in place of those of the model. */
  readonly editedArguments?: { readonly [name: string]: unknown };
  readonly progress?: EventOf<'tool_call.progress'>['data'];
  /** Reason of the current wait, or of the next attempt. */
  readonly note?: string;
  readonly retries: readonly { readonly at: string; readonly reason: string }[];
  readonly result?: ResultPreview;
  readonly error?: string;
  readonly cancel?: EventOf<'tool_call.cancelled'>['data'];
  /** Model calls of the server during this call. */
  readonly sampling: readonly Usage[];
  readonly spans: readonly Span[];
}

/** State of a tool call. */
export type CallState =
  | 'planned'
  | 'awaiting_approval'
  | 'waiting'
  | 'dispatched'
  | 'working'
  | 'input_required'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'unknown';

/** Another event of the run, such as a warning about a limit. */
export interface NoteEntry extends EntryBase {
  readonly kind: 'note';
  readonly event: RunEvent;
}

/** The end of the run. A resumed run has several. */
export interface EndEntry extends EntryBase {
  readonly kind: 'end';
  readonly event: EventOf<'run.completed' | 'run.failed' | 'run.cancelled' | 'run.expired'>;
}

/** A row of the timeline. */
export type Entry =
  | PromptEntry
  | TurnEntry
  | MessageEntry
  | QuestionEntry
  | CallEntry
  | NoteEntry
  | EndEntry;
