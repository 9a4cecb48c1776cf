import type { Implementation, JsonObject } from '@signalbox/mcp-core';
import { MessageBudget } from '@signalbox/mcp-core/client';
import { isRemote, type ServerConfig } from '../config/config.ts';
import type { Logger } from '../ports/logger.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServerDirectory } from '../ports/server-directory.ts';
import type { ServerStates } from '../ports/server-state.ts';
import type { ToolPins } from '../ports/tool-pins.ts';
import type { CatalogueTool, ServerStatus } from '../ports/tool-catalogue.ts';
import type {
  CallReservation,
  CallReservationRequest,
  ToolCallOutcome,
  ToolDispatcher,
} from '../ports/tool-dispatcher.ts';
import { messageOf } from '../text/error-text.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { connectRemoteServer } from './connect-remote-server.ts';
import { connectStdioServer } from './connect-stdio-server.ts';
import { describeState } from './describe-state.ts';
import { memoryToolPins } from './memory-tool-pins.ts';
import { quarantineReason } from './pinned-catalogue.ts';
import { PooledServer } from './pooled-server.ts';
import { createReaper } from './reaper.ts';
import { SchemaChecks } from '../schema/schema-checks.ts';
import type { ConnectServer } from './server-connection.ts';
import type { ServerAuthorizations } from './server-authorizations.ts';
import { serverControl } from './server-control.ts';
import { serverFeatures } from './server-features.ts';
import { ServerSlots } from './server-slots.ts';
import { reserveCall } from './reserve-call.ts';

export interface ServerPoolOptions {
  readonly servers: readonly ServerConfig[];
  /** Name and version announced to the servers. */
  readonly clientInfo: Implementation;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Opens connections. Default: as configured, to a child process or an address. */
  readonly connect?: ConnectServer;
  /** Store of pinned tool definitions. Default: in memory. */
  readonly pins?: ToolPins;
  /**
   * Identifier of this service, the same for every start and unique among running services. Used to
   * find processes left by an earlier start.
   */
  readonly owner?: string;
  /**
   * Whether other processes with the same owner may be running, whose servers are not ended at the
   * start. Default: no.
   */
  readonly isShared?: boolean;
  /** Names of servers that `start` leaves unconnected. Read when the pool starts. Default: none. */
  readonly held?: ReadonlySet<string>;
  /** Returns 0 to 1. Default: `Math.random`. */
  readonly random?: () => number;
  /**
   * Milliseconds a server has to react to a ping after a cancellation, to the end of its input, and
   * to SIGTERM. Default: 2000.
   */
  readonly graceMs?: number;
  /** Authorization at remote servers. Default: configured headers only. */
  readonly authorizations?: ServerAuthorizations;
  /** Networks in which remote servers may be beside the public ones. Default: all but those of cloud metadata. */
  readonly allowedNetworks?: readonly string[] | undefined;
  /** Evaluates the servers' schemas. Closed by its creator. Default: a new instance. */
  readonly schemas?: SchemaChecks;
}

/**
 * Byte budget for long incoming messages of all servers together. Exceeded if one message alone is
 * larger than half of it.
 */
const BUDGET_BYTES = 64 * 1024 * 1024;

/** Longest wait of a call for the connection after a login, in milliseconds. */
const LOGIN_CONNECT_MS = 15_000;

/** The connections to all configured servers. */
export interface ServerPool extends ToolDispatcher, ServerDirectory, ServerStates {
  /** Begins to connect a server that was held, at once or when the pool starts. */
  startServer(name: string): void;
  /** Looks for logins and logouts by other processes, and then uses them. */
  lookForLogins(): Promise<void>;
  /** Adds a server and connects it, or replaces the server of that name once its calls in flight have ended. */
  putServer(config: ServerConfig): void;
  /** Removes a server once its calls in flight have ended. */
  removeServer(name: string): void;
}

/**
 * Creates the pool of all configured servers. A server that fails or hangs does not affect others,
 * and no server process outlives this process.
 */
export function createServerPool(options: ServerPoolOptions): ServerPool {
  const {
    servers,
    clientInfo,
    logger,
    clock,
    connect,
    pins = memoryToolPins(),
    random = Math.random,
    graceMs = 2000,
    schemas = new SchemaChecks(),
    authorizations,
    allowedNetworks,
  } = options;
  const listeners = new Set<(status: ServerStatus) => void>();
  const reaper = createReaper({ graceMs, owner: options.owner });
  let isClosing = false;
  let isStarted = false;
  /** Held servers that are started with the pool. */
  const due = new Set<string>();
  const start = (): void => {
    if (isClosing) return;
    isStarted = true;
    slots.start();
    for (const server of slots.all) {
      const { name } = server.config;
      if (due.has(name)) connectHeld(server);
      else if (options.held?.has(name) !== true) server.start();
    }
  };
  const onChange = (status: ServerStatus): void => {
    for (const listener of listeners) listener(status);
    slots.onChange(status.name);
  };
  const shared = {
    info: clientInfo,
    clock,
    logger,
    pins,
    random,
    graceMs,
    schemas,
    onChange,
    authorizations,
  };
  const messageBudget = new MessageBudget(BUDGET_BYTES);
  const connectServer: ConnectServer =
    connect ??
    ((server, how) =>
      isRemote(server)
        ? connectRemoteServer(server, how, { messageBudget, authorizations, allowedNetworks })
        : connectStdioServer(server, how, { reaper, graceMs, messageBudget }));
  const slots = new ServerSlots(servers, {
    create: (config) => {
      messageBudget.raiseTo(2 * (config.maxMessageBytes ?? 0));
      return new PooledServer(config, { ...shared, connect: connectServer });
    },
    onReplaced: (name) => authorizations?.forget(name),
  });
  const context = { slots, listeners, clock, authorizations };
  const onServerChange = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    start: () => {
      if (options.owner === undefined) return start();
      // An earlier process may hold resources that its successor needs.
      const ended = reaper.endOrphans({ isShared: options.isShared === true }).then(
        (count) =>
          count > 0 &&
          logger.warn('server processes that an earlier service left were ended', {
            processes: count,
          }),
      );
      void ended
        .catch((error: unknown) =>
          logger.warn('server processes that an earlier service left could not be searched', {
            error,
          }),
        )
        .then(start);
    },
    startServer: (name) => {
      const found = slots.get(name);
      if (!isStarted) due.add(name);
      else if (!isClosing && found !== undefined) connectHeld(found);
    },
    putServer: (config) => slots.put(config),
    removeServer: (name) => slots.remove(name),
    lookForLogins: () => lookForLogins(context, slots.all),
    settled: (timeoutMs, names) => settled(context, timeoutMs, () => named(slots, names)),
    servers: () => slots.all.map((server) => server.status),
    useLogins: (names, signal) => useLogins(context, named(slots, names), signal),
    tools: (names) => readyTools(named(slots, names)),
    find: (wireName) => {
      const entry = entryOf(slots, wireName)?.entry;
      return entry?.changed === undefined ? entry?.tool : undefined;
    },
    isQuarantined: (wireName) => entryOf(slots, wireName)?.entry.changed !== undefined,
    checkArguments: (wireName, args) => argumentProblem(entryOf(slots, wireName)?.entry, args),
    whyNotOffered: (wireName) => whyNotOffered(slots, wireName),
    reserve: (request) => reserve(context, request),
    call: async (request) => (await reserve(context, request)).call(request),
    server: (name) => {
      const found = slots.get(name);
      return found && serverFeatures(found, { onServerChange });
    },
    control: (name) => {
      const found = slots.get(name);
      return found && serverControl(found, { pins, clock });
    },
    states: () => slots.all.map(describeState),
    onServerChange: (listener) => void listeners.add(listener),
    close: async () => {
      isClosing = true;
      await slots.close();
      if (options.schemas === undefined) await schemas.close();
      await reaper.close();
    },
  };
}

/** Connects a server that was held, or drained while it was held. */
function connectHeld(server: PooledServer): void {
  if (server.stage.state === 'connecting') server.start();
  else server.reconnect('graceful');
}

function named(slots: ServerSlots, names: readonly string[] | undefined): readonly PooledServer[] {
  return slots.all.filter((server) => names?.includes(server.config.name) ?? true);
}

interface PoolContext {
  readonly authorizations: ServerAuthorizations | undefined;
  readonly slots: ServerSlots;
  readonly listeners: Set<(status: ServerStatus) => void>;
  readonly clock: Clock;
}

function settled(
  { listeners, clock }: PoolContext,
  timeoutMs: number,
  servers: () => readonly PooledServer[],
): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      stopTimer();
      listeners.delete(check);
      resolve();
    };
    const check = (): void => {
      if (servers().every((server) => server.stage.state !== 'connecting')) finish();
    };
    const stopTimer = clock.after(timeoutMs, finish);
    listeners.add(check);
    check();
  });
}

function readyTools(pool: readonly PooledServer[]): readonly CatalogueTool[] {
  const ready = pool.filter((server) => server.isOffering);
  const tools = ready.flatMap((server) =>
    [...server.catalogue.entries.values()]
      .filter(({ changed }) => changed === undefined)
      .map(({ tool }) => tool),
  );
  return tools.toSorted((left, right) => (left.wireName < right.wireName ? -1 : 1));
}

function entryOf(
  slots: ServerSlots,
  wireName: string,
): { readonly server: PooledServer; readonly entry: CatalogueEntry } | undefined {
  for (const server of slots.all) {
    const entry = server.catalogue.entries.get(wireName);
    if (entry !== undefined) return { server, entry };
  }
  return undefined;
}

function whyNotOffered(slots: ServerSlots, wireName: string): string | undefined {
  // A server's name contains no `__`.
  const [name = ''] = wireName.split('__');
  const server = slots.get(name);
  if (server === undefined) return slots.isRemoved(name) ? `server ${name} was removed` : undefined;
  const { state, error } = server.stage;
  if (!server.isOffering)
    return `server ${name} is ${state}${error === undefined ? '' : `: ${error}`}`;
  const entry = server.catalogue.entries.get(wireName);
  if (entry === undefined) return `server ${name} offers no tool of that name at present`;
  return entry.changed === undefined ? undefined : server.mask(quarantineReason(entry));
}

async function argumentProblem(
  entry: CatalogueEntry | undefined,
  args: JsonObject,
): Promise<string | undefined> {
  if (entry === undefined)
    return 'cannot be checked, because the server does not offer the tool at present';
  try {
    return await entry.validate(args);
  } catch (error) {
    return messageOf(error);
  }
}

async function reserve(
  context: PoolContext,
  request: CallReservationRequest,
): Promise<CallReservation> {
  const { slots, clock } = context;
  if (request.signal.aborted) return refused({ type: 'cancelled', level: 'confirmed' });
  const found = entryOf(slots, request.wireName);
  if (found === undefined)
    return refused({
      type: 'not-sent',
      message:
        whyNotOffered(slots, request.wireName) ??
        `no server offers a tool called ${request.wireName}`,
    });
  const { neededLogin, isConnectingAfterLogin } = found.server;
  if (neededLogin !== undefined || isConnectingAfterLogin)
    await useLogins(context, [found.server], request.signal);
  return reserveCall(found.server, { entry: found.entry, request }, clock);
}

/** Uses the logins and logouts by other processes. */
async function lookForLogins(
  { authorizations }: PoolContext,
  pool: readonly PooledServer[],
): Promise<void> {
  if (authorizations === undefined || pool.length === 0) return;
  const marks = await authorizations.marks();
  for (const server of pool) server.lookForLogin(marks.get(server.config.name));
}

/** Uses the logins that were finished since servers asked for them; see `ToolDispatcher.useLogins`. */
async function useLogins(
  context: PoolContext,
  pool: readonly PooledServer[],
  signal: AbortSignal,
): Promise<void> {
  await lookForLogins(
    context,
    pool.filter(({ neededLogin }) => neededLogin !== undefined),
  );
  const connecting = pool.filter((server) => server.isConnectingAfterLogin);
  if (signal.aborted || connecting.length === 0) return;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const onAbort = (): void => stop();
  signal.addEventListener('abort', onAbort);
  await Promise.race([settled(context, LOGIN_CONNECT_MS, () => connecting), stopped]);
  signal.removeEventListener('abort', onAbort);
}

function refused(outcome: ToolCallOutcome): CallReservation {
  return { call: () => Promise.resolve(outcome), release: () => undefined };
}
