import {
  DefinitionChangedError,
  UnknownToolError,
  type ServerControl,
  type ToolApproval,
} from '../ports/server-directory.ts';
import type { Clock } from '../ports/clock.ts';
import type { ToolPins } from '../ports/tool-pins.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { definitionDigest } from './definition-parts.ts';
import { describeState } from './describe-state.ts';
import { pinnedTools } from './pinned-tools.ts';
import { pinOf } from './pinned-catalogue.ts';
import type { PooledServer } from './pooled-server.ts';

export interface ControlDependencies {
  readonly pins: ToolPins;
  readonly clock: Clock;
}

export function serverControl(
  server: PooledServer,
  dependencies: ControlDependencies,
): ServerControl {
  return {
    reconnect: async (mode) => server.reconnect(mode),
    drain: async (mode) => server.drain(mode),
    log: () => Promise.resolve([...server.log.lines]),
    pins: async () =>
      pinnedTools(await dependencies.pins.of(server.config.name), describeState(server).tools),
    approve: (tool, digest) => approve(server, { tool, digest }, dependencies),
    approveTools: (tools) => approveTools(server, tools, dependencies),
    compareWithPins: () => server.compareWithPins(),
    setRoots: (paths) => server.setRoots(paths),
  };
}

async function approve(
  server: PooledServer,
  approval: ToolApproval,
  dependencies: ControlDependencies,
): Promise<boolean> {
  if (entryOf(server, approval.tool) === undefined) return false;
  await approveTools(server, [approval], dependencies);
  return true;
}

async function approveTools(
  server: PooledServer,
  tools: 'all' | readonly ToolApproval[],
  { pins, clock }: ControlDependencies,
): Promise<readonly string[]> {
  const { name } = server.config;
  const entries =
    tools === 'all'
      ? [...server.catalogue.entries.values()]
      : tools.map((approval) => approvedEntry(server, approval));
  const quarantined = entries.filter(({ changed }) => changed !== undefined);
  if (quarantined.length === 0) return [];
  const before = new Map((await pins.of(name)).map((pin) => [pin.tool, pin]));
  const acceptedAt = clock.now();
  await pins.keep(
    quarantined.map((entry) =>
      pinOf(entry, {
        firstSeenAt: before.get(entry.tool.name)?.firstSeenAt ?? acceptedAt,
        acceptedAt,
      }),
    ),
  );
  await server.compareWithPins();
  return quarantined.map(({ tool }) => tool.name);
}

function approvedEntry(server: PooledServer, { tool, digest }: ToolApproval): CatalogueEntry {
  const entry = entryOf(server, tool);
  if (entry === undefined) throw new UnknownToolError(server.config.name, tool);
  const present = definitionDigest(entry.parts);
  if (digest !== undefined && digest !== present)
    throw new DefinitionChangedError(
      `the definition of ${JSON.stringify(tool)} has changed again, and has the digest ${present}; review it again`,
    );
  return entry;
}

function entryOf(server: PooledServer, tool: string): CatalogueEntry | undefined {
  return [...server.catalogue.entries.values()].find((entry) => entry.tool.name === tool);
}
