import type { ProtocolVersion } from '../../era/versions.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';

/** The transport of a standalone request. */
export interface RequestLink {
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
  /** The value of `signal.aborted`, where reading `signal` creates it. Default: `signal` is read. */
  readonly isCancelled?: boolean;
  readonly auth?: AuthContext;
  /** Sends a notification of the request, in call order, before its response. Resolves when the client can take more; `undefined`: immediately. */
  notify(method: string, params: JsonObject): Promise<void> | undefined;
  /** Aborts when the server shuts down: a listen stream then ends gracefully. */
  readonly ended?: AbortSignal;
  /** Serves a legacy request of this revision outside any session: without input requests and subscriptions. */
  readonly legacyVersion?: ProtocolVersion;
}
