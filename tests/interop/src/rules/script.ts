import type { JsonObject, RequestId, Transport } from '@signalbox/mcp-core';
import type { Inbox, Message } from './message.ts';

/** A scripted response; `undefined` is silence. */
export type ScriptedResponse =
  | { readonly result: JsonObject }
  | { readonly error: JsonObject }
  | undefined;

/** Responds to a request. */
export type Step = (
  request: Message,
  server: RawServer,
) => ScriptedResponse | Promise<ScriptedResponse>;
/** Responses by method. */
export type Script = { readonly [method: string]: Step };

/** A scripted server: records the client's messages and sends exact messages. */
export interface RawServer {
  readonly inbox: Inbox;
  /**
   * Sends a message. Over HTTP it is sent on the stream of the client's request that it belongs to,
   * or on the standalone stream of the session.
   */
  send(message: unknown, relatedTo?: RequestId | null): void;
  /** Ends the connection as a crash would. */
  crash(): void;
  /** Opens a new wire to this server. */
  open(): Transport;
  close(): Promise<void>;
}
