import { EngineError, type Check, type OnCommit } from '../../ports/run-engine.ts';
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
  check?: Check<Agent>,
): Promise<Agent> {
  refuseUnusableModel(llm, definition);
  return store.write({}, async (sql) => {
    const agent = await sql.agent(id);
    if (agent === undefined) throw notFound(id);
    check?.(agent);
    // A later time than that of any other definition, by which a checked change finds the agent unchanged.
    const patch = { ...definition, updatedAt: Math.max(clock.now(), agent.updatedAt + 1) };
    const updatedAt = check && agent.updatedAt;
    if (!(await sql.updateAgent(id, patch, updatedAt))) throw changedMeanwhile(id);
    return { ...agent, ...patch };
  });
}

/** Deletes an agent. Its runs continue. */
export async function deleteAgent(
  { store }: Uses<'store'>,
  id: string,
  check?: Check<Agent>,
): Promise<void> {
  await store.write({}, async (sql) => {
    const agent = await sql.agent(id);
    if (agent === undefined) throw notFound(id);
    check?.(agent);
    const updatedAt = check && agent.updatedAt;
    if (!(await sql.deleteAgent(id, updatedAt))) throw changedMeanwhile(id);
  });
}

/** Checks the model of an agent with its settings. */
function refuseUnusableModel(
  llm: LlmProviders,
  { model, modelSettings }: Pick<AgentDefinition, 'model' | 'modelSettings'>,
): void {
  refuseUnsupportedSettings(llm, resolveModel(llm, model), modelSettings);
}

function changedMeanwhile(id: string): EngineError {
  return new EngineError(
    'agent_changed',
    `The agent ${id} was changed or deleted by another request at the same time. Get it again and repeat the change.`,
  );
}

function notFound(id: string): EngineError {
  return new EngineError('agent_not_found', `There is no agent ${id}.`);
}
