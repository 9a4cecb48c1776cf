import type { PinnedTool } from '../ports/server-directory.ts';
import type { ListedTool } from '../ports/server-state.ts';
import type { ToolPin } from '../ports/tool-pins.ts';
import { definitionDigest } from './definition-parts.ts';

/** Returns the pinned definitions of a server's tools, with the changed ones that wait for approval. */
export function pinnedTools(
  pins: readonly ToolPin[],
  tools: readonly ListedTool[],
): readonly PinnedTool[] {
  const quarantined = new Map(tools.map(({ tool, quarantine }) => [tool.name, quarantine]));
  return pins.map(({ tool, parts, firstSeenAt, acceptedAt }) => {
    const changed = quarantined.get(tool);
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
            },
          }),
    };
  });
}
