import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import type { Change } from '../core/commits.ts';
import { CALL_TOOL, FIND_TOOLS } from './find-tools.ts';

const MAX_NAMED = 20;

/**
 * Returns a text for the model about the changes of its tools since the last such text in its
 * conversation, or `undefined` without a change. Records the change.
 */
export async function announceToolChanges(
  { sql, runId }: Change,
  turn: number,
  tools: readonly CatalogueTool[],
): Promise<string | undefined> {
  const known = await sql.lastCatalogue(runId, 'begin');
  const text = known === undefined ? undefined : describeToolChanges(known.tools, tools);
  if (text !== undefined) await sql.insertCatalogue(runId, { turn, point: 'begin', tools });
  return text;
}

/** Describes the difference between two lists of tools for the model; undefined when there is none. */
function describeToolChanges(
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
    ...(changed.length === 0 ? [] : [`changed: ${names(changed)} (see ${FIND_TOOLS})`]),
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
