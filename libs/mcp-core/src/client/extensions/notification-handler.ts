import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { OriginatingRequest } from '../input/input-handlers.ts';

/** The second parameter of the handler of a custom notification. */
export interface NotificationContext {
  /** Name of the notification. */
  readonly method: string;
  /** The request of this client to which the notification belongs. Absent where the protocol does not say: on stdio, and over HTTP outside the stream of a request. */
  readonly request?: OriginatingRequest;
}

/** Receives a custom notification of a server. */
export type ClientNotificationHandler = (
  params: JsonObject,
  context: NotificationContext,
) => unknown;
