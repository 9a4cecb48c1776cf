import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import type { InitializedSession } from '../connection/initialized-session.ts';
import type { ResourceWatches } from '../subscriptions/resource-subscriptions.ts';
import type { ActiveRequest } from './active-request.ts';

/** The connection of a request, as methods see it. */
export interface ConnectionScope {
  /** The legacy session. */
  readonly session: InitializedSession | undefined;
  /** The resource subscriptions of the legacy session. */
  readonly watches: ResourceWatches | undefined;
  /** Whether the request has its own stream, whose end the client notices. */
  readonly hasOwnStream: boolean;
  /** Runs a listen stream with the signal that ends it gracefully. */
  holdOpen(id: RequestId, run: (ended: AbortSignal) => Promise<JsonObject>): Promise<JsonObject>;
}

/** Serves one method. The result is neutral, or carries its JSON text when it was encoded before. An error other than ProtocolError becomes -32603. */
export type Method = (
  request: ActiveRequest,
  scope: ConnectionScope,
) => Promise<JsonObject> | JsonObject;
