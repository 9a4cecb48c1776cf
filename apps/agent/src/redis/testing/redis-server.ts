/** A Redis of a test, without persistence. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** Sends a command in one line, without password and TLS. Resolves with the first line of the reply. */
  command(line: string): Promise<string>;
  /** Ends Redis at once. Its data are lost. */
  stop(): Promise<void>;
}

interface ServerModule {
  readonly hasRedis: boolean;
  readonly hasRedisTls: () => boolean;
  readonly startRedis: (options?: {
    readonly password?: string;
    readonly tls?: { readonly cert: string; readonly key: string };
  }) => Promise<RedisServer>;
}

// The servers of tests are outside of this package, whose build must not see them.
const MODULE = new URL('../../../../../tests/peers/src/redis-server.ts', import.meta.url).href;

/** Whether the machine has a Redis, whether with TLS, and a function that starts it on a free port. */
export const { hasRedis, hasRedisTls, startRedis } = (await import(
  /* @vite-ignore */ MODULE
)) as ServerModule;
