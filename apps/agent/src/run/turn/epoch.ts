import { createHash } from 'node:crypto';
import type { Epoch } from '../../ports/store/epoch.ts';
import type { ToolSpec } from '../../ports/llm-provider.ts';
import type { Run } from '../../ports/store/run.ts';
import type { CatalogueTool, ServerStatus } from '../../ports/tool-catalogue.ts';
import { ARTIFACT_READ_SPEC } from '../results/artifact-read.ts';
import { cardOf } from '../core/run-model.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { toolsOf } from '../core/tool-rules.ts';
import { knownContextTokens } from './output-tokens.ts';
import { systemPrompt } from './system-prompt.ts';
import { chooseTools, specOf } from '../discovery/choose-tools.ts';
import { discoverySpecs } from '../discovery/find-tools.ts';
import { serverInstructions } from '../discovery/server-instructions.ts';

/** Stores the epoch of a run: system prompt and tools at the start of its conversation. */
export async function createEpoch(
  context: Uses<'dispatcher' | 'llm' | 'policyOf'>,
  { sql }: Change,
  run: Run,
): Promise<Epoch> {
  const catalogue = toolsOf(context, run);
  const servers = context.dispatcher
    .servers()
    .filter(({ name }) => run.servers?.includes(name) ?? true);
  const tools = toolSpecs(catalogue, servers, knownContextTokens(cardOf(context.llm, run)));
  const usable =
    run.toolRules === undefined
      ? servers
      : servers.filter(({ name }) => catalogue.some(({ server }) => server === name));
  const system = systemPrompt({ run, servers: serverInstructions(usable) });
  const policies = Object.fromEntries(
    servers.map(({ name }) => [name, { ...context.policyOf(name) }]),
  );
  const epoch: Epoch = {
    runId: run.id,
    id: createHash('sha256')
      .update(JSON.stringify([system, tools]))
      .digest('hex'),
    system,
    tools,
    policies,
  };
  await sql.insertEpoch(epoch);
  await sql.insertCatalogue(run.id, { turn: run.turns + 1, point: 'begin', tools: catalogue });
  return epoch;
}

/**
 * Returns the tool definitions for the model. The search tools are included when tools are left
 * out, or when a server may add tools later.
 */
function toolSpecs(
  catalogue: readonly CatalogueTool[],
  servers: readonly ServerStatus[],
  contextTokens: number,
): readonly ToolSpec[] {
  const { direct, others } = chooseTools(catalogue, contextTokens);
  const mayChange = servers.some(
    ({ state, toolsChange }) => toolsChange === true || state !== 'ready',
  );
  if (catalogue.length === 0 && !mayChange) return [];
  // Tools can return long results, which the model reads with this tool.
  return [
    ...direct.map(specOf),
    ARTIFACT_READ_SPEC,
    ...(others.length > 0 || mayChange ? discoverySpecs(others) : []),
  ];
}
