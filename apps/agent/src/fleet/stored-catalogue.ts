import type { JsonObject } from '@signalbox/mcp-core';
import type { Clock } from '../ports/clock.ts';
import type { ListedTool } from '../ports/server-state.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { CatalogueTool, ServerStatus, ToolCatalogue } from '../ports/tool-catalogue.ts';
import { compileArgumentValidator } from '../schema/argument-validator.ts';
import type { SchemaChecks } from '../schema/schema-checks.ts';
import { messageOf } from '../text/error-text.ts';
import {
  noWorker,
  type StoredFleet,
  type StoredServer,
  type StoredServers,
} from './stored-servers.ts';

export interface StoredCatalogueOptions {
  readonly servers: StoredServers;
  readonly bus: SignalBus;
  readonly clock: Clock;
  /** Evaluates the schemas of arguments. */
  readonly schemas: SchemaChecks;
}

/** Milliseconds between two reads of the stored states while servers connect. */
const POLL_EVERY_MS = 250;

/**
 * Creates the catalogue of an API process, which has no connections: it reads the states that
 * workers stored. `tools` and `find` reject with `ServerUnavailableError` while no worker is
 * running.
 */
export function storedCatalogue(options: StoredCatalogueOptions): ToolCatalogue {
  const { servers } = options;
  const entryIn = async (fleet: StoredFleet, wireName: string): Promise<ListedTool | undefined> => {
    const server = serverOf(fleet, wireName);
    if (server === undefined) return undefined;
    return (await servers.toolsOf(server)).find(({ tool }) => tool.wireName === wireName);
  };
  return {
    settled: (timeoutMs, names) => settled(options, timeoutMs, names),

    servers: async () => (await servers.read()).servers.map(({ status }) => status),

    async tools(names) {
      const offering = withWorkers(await servers.read()).servers.filter(
        ({ best, status }) => best?.isOffering === true && (names?.includes(status.name) ?? true),
      );
      const listed = await Promise.all(offering.map((server) => servers.toolsOf(server)));
      return listed
        .flat()
        .filter(({ quarantine }) => quarantine === undefined)
        .map(({ tool }) => tool)
        .toSorted((left, right) => (left.wireName < right.wireName ? -1 : 1));
    },

    async find(wireName) {
      const entry = await entryIn(withWorkers(await servers.read()), wireName);
      return entry?.quarantine === undefined ? entry?.tool : undefined;
    },

    async whyNotOffered(wireName) {
      const fleet = await servers.read();
      const server = serverOf(fleet, wireName);
      if (server === undefined) return undefined;
      const { name, state, error } = server.status;
      if (server.best?.isOffering !== true)
        return `server ${name} is ${state}${error === undefined ? '' : `: ${error}`}`;
      const entry = await entryIn(fleet, wireName);
      return entry === undefined
        ? `server ${name} offers no tool of that name at present`
        : entry.quarantine?.reason;
    },

    isQuarantined: async (wireName) =>
      (await entryIn(await servers.read(), wireName))?.quarantine !== undefined,

    async checkArguments(wireName, args) {
      const entry = await entryIn(await servers.read(), wireName);
      return entry === undefined
        ? 'cannot be checked, because the server does not offer the tool at present'
        : argumentProblem(options.schemas, entry.tool, args);
    },
  };
}

/** @throws ServerUnavailableError without a worker */
function withWorkers(fleet: StoredFleet): StoredFleet {
  if (fleet.workers.length === 0) throw noWorker();
  return fleet;
}

function serverOf({ servers }: StoredFleet, wireName: string): StoredServer | undefined {
  // A server's name contains no `__`.
  const name = wireName.split('__')[0];
  return servers.find(({ status }) => status.name === name);
}

/** Returns the problems of the arguments of a tool; undefined for valid arguments. */
export async function argumentProblem(
  schemas: SchemaChecks,
  { server, inputSchema }: CatalogueTool,
  args: JsonObject,
): Promise<string | undefined> {
  try {
    const { validate } = await compileArgumentValidator(server, inputSchema, schemas);
    return await validate(args);
  } catch (error) {
    return messageOf(error);
  }
}

/** Reads again at each signal and every 250 ms, because signals can be lost. */
async function settled(
  { servers, bus, clock }: StoredCatalogueOptions,
  timeoutMs: number,
  names: readonly string[] | undefined,
): Promise<void> {
  const isPending = ({ name, state }: ServerStatus): boolean =>
    state === 'connecting' && (names?.includes(name) ?? true);
  const until = clock.now() + timeoutMs;
  for (;;) {
    const { servers: present } = await servers.read();
    const leftMs = until - clock.now();
    if (leftMs <= 0 || !present.some(({ status }) => isPending(status))) return;
    await changeOf(bus, clock, Math.min(leftMs, POLL_EVERY_MS));
  }
}

/** Resolves at the next signal about servers, at the latest after `timeoutMs`. */
export function changeOf(bus: SignalBus, clock: Clock, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      stopTimer();
      unsubscribe();
      resolve();
    };
    const stopTimer = clock.after(timeoutMs, finish);
    const unsubscribe = bus.subscribe('servers', finish);
  });
}
