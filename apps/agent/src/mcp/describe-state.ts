import type { JsonObject } from '@signalbox/mcp-core';
import type { ListedTool, ServerState } from '../ports/server-state.ts';
import type { Catalogue } from './catalogue.ts';
import { definitionDigest } from './definition-parts.ts';
import { quarantineReason } from './pinned-catalogue.ts';
import type { PooledServer } from './pooled-server.ts';

const listed = new WeakMap<Catalogue, readonly ListedTool[]>();

/** Returns the state of a server with its tools. */
export function describeState(server: PooledServer): ServerState {
  return {
    status: server.status,
    isOffering: server.isOffering,
    // A plain object from the wire.
    capabilities: server.life?.connection.client.server.capabilities as JsonObject | undefined,
    tools: toolsOf(server),
  };
}

function toolsOf({ catalogue, mask }: PooledServer): readonly ListedTool[] {
  let tools = listed.get(catalogue);
  if (tools === undefined) {
    tools = [...catalogue.entries.values()].map((entry) =>
      entry.changed === undefined
        ? { tool: entry.tool }
        : {
            tool: entry.tool,
            quarantine: {
              reason: mask(quarantineReason(entry)),
              digest: definitionDigest(entry.parts),
              changed: entry.changed,
              definition: entry.definition,
            },
          },
    );
    listed.set(catalogue, tools);
  }
  return tools;
}
