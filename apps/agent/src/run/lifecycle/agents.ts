import { EngineError, type OnCommit } from '../../ports/run-engine.ts';
import type { Agent, AgentDefinition } from '../../ports/store/agent.ts';
import type { LlmProviders } from '../../ports/llm-providers.ts';
import type { Uses } from '../core/engine-parts.ts';
import { refuseUnsupportedSettings } from '../core/model-settings.ts';
import { resolveModel } from '../core/run-model.ts';

/** Stores a new agent. */
export async function createAgent(
  { store, llm, clock, newId }: Uses<'store' | 'llm' | 'clock' | 'newId'>,
  definition: AgentDefinition,
  onCommit?: OnCommit<Agent>,
): Promise<Agent> {
  refuseUnusableModel(llm, definition);
  return store.write({}, async (sql) => {
    const now = clock.now();
    const agent: Agent = { id: newId(), ...definition, createdAt: now, updatedAt: now };
    await sql.insertAgent(agent);
    await onCommit?.(sql, agent);
    return agent;
  });
}

/** Replaces the definition of an agent. Runs keep the definition that they began with. */
export async function replaceAgent(
  { store, llm, clock }: Uses<'store' | 'llm' | 'clock'>,
  id: string,
  definition: AgentDefinition,
): Promise<Agent> {
  refuseUnusableModel(llm, definition);
  return store.write({}, async (sql) => {
    const agent = await sql.agent(id);
    if (agent === undefined) throw notFound(id);
    const patch = { ...definition, updatedAt: clock.now() };
    await sql.updateAgent(id, patch);
    return { ...agent, ...patch };
  });
}

/** Deletes an agent. Its runs continue. */
export async function deleteAgent({ store }: Uses<'store'>, id: string): Promise<void> {
  if (!(await store.write({}, (sql) => sql.deleteAgent(id)))) throw notFound(id);
}

/** Checks the model of an agent with its settings. */
function refuseUnusableModel(
  llm: LlmProviders,
  { model, modelSettings }: Pick<AgentDefinition, 'model' | 'modelSettings'>,
): void {
  refuseUnsupportedSettings(llm, resolveModel(llm, model), modelSettings);
}

function notFound(id: string): EngineError {
  return new EngineError('agent_not_found', `There is no agent ${id}.`);
}
