import type { HttpAuthorization } from '@signalbox/mcp-core/http/client';
import type { RemoteServerConfig } from '../config/config.ts';

/** The last login or logout of a server. */
export interface LoginMark {
  /** Changes with every login and logout. */
  readonly revision: string;
  readonly isLoggedIn: boolean;
}

/** The authorization of the service at its remote servers. */
export interface ServerAuthorizations {
  /** Returns the authorization for a connection; undefined for a server with a configured token. */
  of(server: RemoteServerConfig): Promise<HttpAuthorization | undefined>;
  /** Returns the last login or logout of each server, by any process, that had one. */
  marks(): Promise<ReadonlyMap<string, LoginMark>>;
  /** Forgets the tokens in memory after a logout. Later connections read those of the store. */
  forget(server: string): void;
}
