import type { ClientFace } from './client-face.ts';
import type { SeenRequest } from './hosting/host-http.ts';

export type Library = 'ours' | 'v1' | 'v2';

/** A client, a server and their connection. */
export interface Pair {
  readonly client: Library;
  readonly server: Library;
  readonly era: 'legacy' | 'modern';
  readonly wire: 'stdio' | 'http-sessions' | 'http-stateless' | 'http-modern' | 'http-sse';
}

/** The environment of a feature. */
export interface OpenCell extends Pair {
  readonly face: ClientFace;
  /**
   * Connects another client to the same server; over stdio, to another process of it. The feature
   * closes the client.
   */
  readonly connect: () => Promise<ClientFace>;
  /** Requests that the server received over HTTP. */
  readonly requests: readonly SeenRequest[];
  readonly forgetSessions: () => void;
}

/** A server that accepts clients. */
export interface Opened {
  readonly connect: () => Promise<ClientFace>;
  readonly requests?: readonly SeenRequest[];
  readonly forgetSessions?: (() => void) | undefined;
  readonly close: () => Promise<void>;
}
