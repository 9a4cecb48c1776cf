import type { CatalogueTool } from '../../ports/tool-registry.ts';
import { CALL_TOOL, FIND_TOOLS } from './find-tools.ts';

const MAX_NAMED = 20;

/** What the model is told when the tools are others than it knows; nothing when they are the same. */
export function toolNews(
  known: readonly CatalogueTool[],
  present: readonly CatalogueTool[],
): string | undefined {
  const before = new Map(known.map((tool) => [tool.wireName, tool]));
  const after = new Map(present.map((tool) => [tool.wireName, tool]));
  const added = present.filter(({ wireName }) => !before.has(wireName));
  const removed = known.filter(({ wireName }) => !after.has(wireName));
  const changed = present.filter((tool) => isOther(tool, before.get(tool.wireName)));
  const parts = [
    ...(added.length === 0
      ? []
      : [`added: ${names(added)} (reach them with ${FIND_TOOLS} and ${CALL_TOOL})`]),
    ...(removed.length === 0 ? [] : [`no longer there: ${names(removed)}`]),
    ...(changed.length === 0 ? [] : [`described anew: ${names(changed)} (see ${FIND_TOOLS})`]),
  ];
  return parts.length === 0
    ? undefined
    : `[Note of the service, not of the user: the tools have changed. ${parts.join('; ')}.]`;
}

function isOther(tool: CatalogueTool, before: CatalogueTool | undefined): boolean {
  return (
    before !== undefined &&
    (tool.description !== before.description ||
      JSON.stringify(tool.inputSchema) !== JSON.stringify(before.inputSchema))
  );
}

function names(tools: readonly CatalogueTool[]): string {
  const shown = tools.slice(0, MAX_NAMED).map(({ wireName }) => wireName);
  return `${shown.join(', ')}${tools.length > MAX_NAMED ? ` and ${tools.length - MAX_NAMED} more` : ''}`;
}
