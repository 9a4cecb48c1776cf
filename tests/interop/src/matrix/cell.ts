import type { ClientFace } from './client-face.ts';
import type { FeatureName } from './features/index.ts';
import type { SeenRequest } from './hosting/host-http.ts';

export type Library = 'ours' | 'v1' | 'v2';

/** Who speaks to whom, and how. */
export interface Pair {
  readonly client: Library;
  readonly server: Library;
  readonly era: 'legacy' | 'modern';
  readonly wire: 'stdio' | 'http-sessions' | 'http-stateless' | 'http-modern' | 'http-sse';
}

/** What a feature runs with. */
export interface OpenCell extends Pair {
  readonly face: ClientFace;
  /** Another client of the same server; over stdio, of another one. The feature closes it. */
  readonly connect: () => Promise<ClientFace>;
  /** Over HTTP: what the server was asked. */
  readonly requests: readonly SeenRequest[];
  readonly forgetSessions: () => void;
}

/** A server that clients can be connected to. */
export interface Opened {
  readonly connect: () => Promise<ClientFace>;
  readonly requests?: readonly SeenRequest[];
  readonly forgetSessions?: (() => void) | undefined;
  readonly close: () => Promise<void>;
}

export interface Cell extends Pair {
  /** How the client is told the era, where there is a choice. */
  readonly negotiation?: string;
  /** Why a feature is not run. */
  readonly without: { readonly [Name in FeatureName]?: string };
  readonly open: () => Promise<Opened>;
}
