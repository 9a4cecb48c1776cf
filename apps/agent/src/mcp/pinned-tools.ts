import type { JsonObject } from '@signalbox/mcp-core';
import type { PinnedTool } from '../ports/server-directory.ts';
import type { ListedTool } from '../ports/server-state.ts';
import type { ToolPin } from '../ports/tool-pins.ts';
import { changedParts, definitionDigest, definitionParts } from './definition-parts.ts';

/** Returns the pinned definitions of a server's tools, with the changed ones that wait for approval. */
export function pinnedTools(
  pins: readonly ToolPin[],
  tools: readonly ListedTool[],
): readonly PinnedTool[] {
  const quarantined = new Map(tools.map(({ tool, quarantine }) => [tool.name, quarantine]));
  return pins.map((pin) => {
    const { tool, parts, firstSeenAt, acceptedAt } = pin;
    const changed = quarantined.get(tool);
    const pinned = changed === undefined ? undefined : pinnedDefinitionOf(pin);
    return {
      tool,
      digest: definitionDigest(parts),
      firstSeenAt,
      acceptedAt,
      ...(changed === undefined
        ? {}
        : {
            quarantined: {
              digest: changed.digest,
              changed: changed.changed,
              definition: changed.definition,
              ...(pinned === undefined ? {} : { pinnedDefinition: pinned }),
            },
          }),
    };
  });
}

/** Returns the stored definition of a pin if the digests of the pin are those of the definition. */
function pinnedDefinitionOf({ parts, definition }: ToolPin): JsonObject | undefined {
  if (definition === undefined) return undefined;
  return changedParts(parts, definitionParts(definition)).length === 0 ? definition : undefined;
}
