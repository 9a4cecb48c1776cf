import { DefinitionChangedError, type PinnedTool, type ServerControl } from '../ports/server-directory.ts';
import type { Clock } from '../ports/test-hooks.ts';
import type { ToolPins } from '../ports/tool-pins.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { definitionDigest } from './definition-parts.ts';
import { pinOf } from './pinned-catalogue.ts';
import type { PooledServer } from './pooled-server.ts';

export interface ControlSurroundings {
  readonly pins: ToolPins;
  readonly clock: Clock;
}

export function serverControl(server: PooledServer, surroundings: ControlSurroundings): ServerControl {
  return {
    reconnect: (mode) => server.reconnect(mode),
    drain: (mode) => server.drain(mode),
    pins: () => pinnedTools(server, surroundings.pins),
    approve: (tool, digest) => approve(server, { tool, digest }, surroundings),
    setRoots: (paths) => server.setRoots(paths),
  };
}

async function pinnedTools(server: PooledServer, pins: ToolPins): Promise<readonly PinnedTool[]> {
  const known = await pins.of(server.config.name);
  return known.map(({ tool, parts, firstSeenAt, acceptedAt }) => {
    const entry = entryOf(server, tool);
    return {
      tool,
      digest: definitionDigest(parts),
      firstSeenAt,
      acceptedAt,
      ...(entry?.changed === undefined ? {} : { quarantined: { digest: definitionDigest(entry.parts), changed: entry.changed, definition: entry.definition } }),
    };
  });
}

async function approve(server: PooledServer, { tool, digest }: { readonly tool: string; readonly digest: string | undefined }, { pins, clock }: ControlSurroundings): Promise<boolean> {
  const { name } = server.config;
  const entry = entryOf(server, tool);
  if (entry === undefined) return false;
  const present = definitionDigest(entry.parts);
  if (digest !== undefined && digest !== present) throw new DefinitionChangedError(`the definition of ${JSON.stringify(tool)} is another one by now, with the digest ${present}; look at it again`);
  if (entry.changed === undefined) return true;
  const before = (await pins.of(name)).find((pin) => pin.tool === tool);
  await pins.keep([pinOf(entry, { firstSeenAt: before?.firstSeenAt ?? clock.now(), acceptedAt: clock.now() })]);
  await server.compareWithPins();
  return true;
}

function entryOf(server: PooledServer, tool: string): CatalogueEntry | undefined {
  return [...server.catalogue.entries.values()].find((entry) => entry.tool.name === tool);
}
