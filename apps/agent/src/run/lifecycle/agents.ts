import { EngineError, type OnCommit } from '../../ports/run-engine.ts';
import type { Agent, AgentDefinition } from '../../ports/store/agent.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Stores a new agent. */
export function createAgent(
  { store, clock, newId }: Uses<'store' | 'clock' | 'newId'>,
  definition: AgentDefinition,
  onCommit?: OnCommit<Agent>,
): Promise<Agent> {
  return store.write(async (sql) => {
    const now = clock.now();
    const agent: Agent = { id: newId(), ...definition, createdAt: now, updatedAt: now };
    await sql.insertAgent(agent);
    await onCommit?.(sql, agent);
    return agent;
  });
}

/** Replaces the definition of an agent. Runs keep the definition that they began with. */
export function replaceAgent(
  { store, clock }: Uses<'store' | 'clock'>,
  id: string,
  definition: AgentDefinition,
): Promise<Agent> {
  return store.write(async (sql) => {
    const agent = await sql.agent(id);
    if (agent === undefined) throw notFound(id);
    const patch = { ...definition, updatedAt: clock.now() };
    await sql.updateAgent(id, patch);
    return { ...agent, ...patch };
  });
}

/** Deletes an agent. Its runs continue. */
export async function deleteAgent({ store }: Uses<'store'>, id: string): Promise<void> {
  if (!(await store.write((sql) => sql.deleteAgent(id)))) throw notFound(id);
}

function notFound(id: string): EngineError {
  return new EngineError('agent_not_found', `There is no agent ${id}.`);
}
