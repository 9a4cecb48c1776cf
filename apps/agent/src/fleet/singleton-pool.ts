import type { ServerPool } from '../mcp/server-pool.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServerControl } from '../ports/server-directory.ts';
import type { ListedTool, ServerState } from '../ports/server-state.ts';
import type { SchemaChecks } from '../schema/schema-checks.ts';
import { argumentProblem } from './stored-catalogue.ts';

/** A server as the worker that owns it stored it. */
export interface OwnedElsewhere extends Pick<ServerState, 'status' | 'isOffering'> {
  readonly tools: readonly ListedTool[];
}

export interface SingletonPoolOptions {
  readonly pool: ServerPool;
  /** Servers that other workers own, or that have no owner. */
  readonly held: ReadonlySet<string>;
  readonly elsewhere: ReadonlyMap<string, OwnedElsewhere>;
  /** Whether the tools of a server are those that its owner stored. */
  readonly isMirrored: (name: string) => boolean;
  /** Called when the state of a server changes here or elsewhere. */
  readonly listeners: Set<() => void>;
  readonly clock: Clock;
  readonly schemas: SchemaChecks;
}

/**
 * Creates the pool of a worker with singleton servers. It shows those that other workers own as these
 * stored them. Commands to them do nothing, because their owner executes them.
 */
export function singletonPool(options: SingletonPoolOptions): ServerPool {
  const { pool, held, elsewhere, isMirrored, schemas } = options;
  /** Returns a server with stored tools; undefined for one whose tools this process read. */
  const mirrored = (wireName: string): OwnedElsewhere | 'unknown' | undefined => {
    // A server's name contains no `__`.
    const name = wireName.split('__')[0] ?? '';
    return isMirrored(name) ? (elsewhere.get(name) ?? 'unknown') : undefined;
  };
  const entryIn = (server: OwnedElsewhere | 'unknown', wireName: string): ListedTool | undefined =>
    server === 'unknown' ? undefined : server.tools.find(({ tool }) => tool.wireName === wireName);
  const decorated: ServerPool = {
    ...pool,
    servers: () =>
      pool
        .servers()
        .map((status) =>
          held.has(status.name) ? (elsewhere.get(status.name)?.status ?? status) : status,
        ),
    states: () => pool.states().filter(({ status }) => !held.has(status.name)),
    settled: (timeoutMs, names) => settled(decorated, options, timeoutMs, names),
    tools(names) {
      const more = [...elsewhere].filter(
        ([name, { isOffering }]) =>
          isOffering && isMirrored(name) && (names?.includes(name) ?? true),
      );
      if (more.length === 0) return pool.tools(names);
      const stored = more
        .flatMap(([, { tools }]) => tools)
        .filter(({ quarantine }) => quarantine === undefined)
        .map(({ tool }) => tool);
      return [...pool.tools(names).filter(({ server }) => !isMirrored(server)), ...stored].toSorted(
        (left, right) => (left.wireName < right.wireName ? -1 : 1),
      );
    },
    find(wireName) {
      const server = mirrored(wireName);
      if (server === undefined) return pool.find(wireName);
      const entry = entryIn(server, wireName);
      return entry?.quarantine === undefined ? entry?.tool : undefined;
    },
    isQuarantined(wireName) {
      const server = mirrored(wireName);
      if (server === undefined) return pool.isQuarantined(wireName);
      return entryIn(server, wireName)?.quarantine !== undefined;
    },
    whyNotOffered(wireName) {
      const server = mirrored(wireName);
      if (server === undefined) return pool.whyNotOffered(wireName);
      if (server === 'unknown') return `server ${wireName.split('__')[0]} is connecting`;
      const { name, state, error } = server.status;
      if (!server.isOffering)
        return `server ${name} is ${state}${error === undefined ? '' : `: ${error}`}`;
      const entry = entryIn(server, wireName);
      return entry === undefined
        ? `server ${name} offers no tool of that name at present`
        : entry.quarantine?.reason;
    },
    async checkArguments(wireName, args) {
      const server = mirrored(wireName);
      if (server === undefined) return pool.checkArguments(wireName, args);
      const entry = entryIn(server, wireName);
      return entry === undefined
        ? 'cannot be checked, because the server does not offer the tool at present'
        : argumentProblem(schemas, entry.tool, args);
    },
    control(name) {
      const control = pool.control(name);
      return control !== undefined && held.has(name) ? { ...control, ...UNCHANGED } : control;
    },
  };
  return decorated;
}

/** The commands that only the owner of a server executes. */
const UNCHANGED: Pick<ServerControl, 'reconnect' | 'drain' | 'setRoots' | 'compareWithPins'> = {
  reconnect: () => Promise.resolve(),
  drain: () => Promise.resolve(),
  setRoots: () => Promise.resolve(),
  compareWithPins: () => Promise.resolve(),
};

function settled(
  pool: ServerPool,
  { clock, listeners }: Pick<SingletonPoolOptions, 'clock' | 'listeners'>,
  timeoutMs: number,
  names: readonly string[] | undefined,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = (): void => {
    const isConnecting = pool
      .servers()
      .some(({ name, state }) => state === 'connecting' && (names?.includes(name) ?? true));
    if (!isConnecting) resolve();
  };
  const stopTimer = clock.after(timeoutMs, resolve);
  listeners.add(check);
  check();
  return promise.finally(() => {
    stopTimer();
    listeners.delete(check);
  });
}
