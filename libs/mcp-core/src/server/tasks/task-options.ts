import type { TaskStore } from './task-store.ts';

/** Storage and limits of the tasks of a server. */
export interface ServerTaskOptions {
  /** Default: tasks end with the process. */
  readonly store?: TaskStore | undefined;
  /** Time to live of a task when neither the client nor the handler sets it, in milliseconds; default 1 hour, `Infinity` for no limit. */
  readonly defaultTtlMs?: number | undefined;
  /** Longest time to live that a client or a handler can set, in milliseconds; default 24 hours. */
  readonly maxTtlMs?: number | undefined;
  /** Poll interval suggested to clients, in milliseconds; default 1000. */
  readonly pollIntervalMs?: number | undefined;
  /** Maximum number of running tasks; default 1000. */
  readonly maxRunning?: number | undefined;
  /** Maximum number of running tasks of one principal; default 100. Clients without a principal count as one. */
  readonly maxRunningPerPrincipal?: number | undefined;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: (() => number) | undefined;
}
