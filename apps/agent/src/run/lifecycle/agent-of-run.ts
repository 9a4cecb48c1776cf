import { EngineError, type NewRun } from '../../ports/run-engine.ts';
import type { Agent, AgentDefinition } from '../../ports/store/agent.ts';
import type { Uses } from '../core/engine-parts.ts';

/** An agent in one of its versions. */
type VersionedAgent = AgentDefinition & Pick<Agent, 'version'>;

/** Returns the agent of a new run in the version that the run names. Default: the current version. */
export async function agentOf(
  { store }: Uses<'store'>,
  { agentId: id, agentVersion: version }: Pick<NewRun, 'agentId' | 'agentVersion'>,
): Promise<VersionedAgent | undefined> {
  if (id === undefined) return undefined;
  const agent = await store.read.agent(id);
  if (agent === undefined) throw new EngineError('unknown_agent', `There is no agent ${id}.`);
  if (version === undefined || version === agent.version) return agent;
  const earlier = await store.read.agentVersion(id, version);
  if (earlier !== undefined) return earlier;
  const message = `The agent ${id} has no version ${version}. GET /v1/agents/${id}/versions lists the versions that are kept.`;
  throw new EngineError('unknown_agent_version', message, [{ path: '/agent_version', message }]);
}

/** Returns the fields of an agent that a new run takes unless it sets them. */
export function agentFields(
  agent: AgentDefinition | undefined,
): Pick<NewRun, 'instructions' | 'model' | 'servers'> {
  return {
    ...(agent?.instructions === undefined ? {} : { instructions: agent.instructions }),
    ...(agent?.model === undefined ? {} : { model: agent.model }),
    ...(agent?.servers === undefined ? {} : { servers: agent.servers }),
  };
}
