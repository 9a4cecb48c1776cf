import type { RequestId } from '@signalbox/mcp-core';
import type { Inbox } from './message.ts';

/** A wire that carries JSON. */
export interface RawWire {
  readonly inbox: Inbox;
  /** Sends any JSON value. */
  send(message: unknown): void;
  /** Returns the HTTP status of the response to a request. */
  statusOf?(id: RequestId): number | undefined;
  close(): Promise<void>;
}
