import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Root } from '../../protocol/client-features.ts';
import type { Implementation } from '../../protocol/implementation.ts';

/** A legacy session, as a server sees it outside a request. The modern era has no sessions. */
export interface LegacySession {
  readonly signal: AbortSignal;
  readonly clientInfo: Implementation | undefined;
  /** The extensions that the client declared, by their prefixed name, with their settings. */
  readonly extensions: { readonly [name: string]: JsonObject };
  /** Lists the roots, which are cached until the client says that they changed. `undefined` when the client has no roots capability. Rejects after `timeoutMs` (default 2000). */
  listRoots(options?: { readonly timeoutMs?: number }): Promise<readonly Root[] | undefined>;
}
