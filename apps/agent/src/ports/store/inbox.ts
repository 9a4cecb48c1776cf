import type { JsonObject } from '@signalbox/mcp-core';
import type { ApprovalBinding } from './approval.ts';

/** Every kind of inbox item. */
export const INBOX_KINDS = [
  'tool_approval',
  'elicitation_form',
  'elicitation_url',
  'sampling_approval',
  'sampling_reply',
  'outcome_unknown',
  'server_login',
] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

/** Every state of an inbox item. */
export const INBOX_STATES = ['open', 'answered', 'delivered', 'void', 'expired'] as const;
export type InboxState = (typeof INBOX_STATES)[number];

/** A request that a person must answer. Times are milliseconds since the Unix epoch. */
export interface InboxItem {
  readonly id: string;
  readonly runId: string;
  readonly callId: string | undefined;
  readonly kind: InboxKind;
  readonly state: InboxState;
  /** The request as snake_case JSON. */
  readonly request: JsonObject;
  readonly response: JsonObject | undefined;
  /** Id of the worker that holds the open connection of the call, if any. */
  readonly owner: string | undefined;
  /** Key of the input request within a parked call, by which the call finds its response after a restart. */
  readonly questionKey: string | undefined;
  /** Content that the approval is bound to; only for `tool_approval`. */
  readonly binding: ApprovalBinding | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly answeredAt: number | undefined;
}

export interface InboxReader {
  inboxItem(id: string): Promise<InboxItem | undefined>;
  /** Returns the latest item for an input request of a parked call. */
  inboxItemOf(callId: string, questionKey: string): Promise<InboxItem | undefined>;
  /** Returns items oldest first. */
  inboxItems(options: {
    readonly runId?: string;
    readonly callId?: string;
    readonly state?: InboxState;
  }): Promise<readonly InboxItem[]>;
  countInboxItems(options: {
    readonly callId: string;
    readonly state?: InboxState;
  }): Promise<number>;
}

export interface InboxWriter {
  insertInboxItem(item: InboxItem): Promise<void>;
  /** Applies the patch if the row still has the expected state. Returns whether it did. */
  updateInboxItem(
    id: string,
    expected: InboxState,
    patch: Partial<Pick<InboxItem, 'state' | 'request' | 'response' | 'binding' | 'answeredAt'>>,
  ): Promise<boolean>;
}
