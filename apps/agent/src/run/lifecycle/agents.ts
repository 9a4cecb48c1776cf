import { digestOf } from '../../json/digest.ts';
import { ANONYMOUS } from '../../ports/api-key.ts';
import {
  EngineError,
  type Check,
  type NewDefinition,
  type OnCommit,
} from '../../ports/run-engine.ts';
import type { Agent, AgentDefinition } from '../../ports/store/agent.ts';
import type { LlmProviders } from '../../ports/llm-providers.ts';
import type { Uses } from '../core/engine-parts.ts';
import { refuseUnsupportedSettings } from '../core/model-settings.ts';
import { resolveModel } from '../core/run-model.ts';

/** Stores a new agent in version 1. */
export async function createAgent(
  { store, llm, clock, newId }: Uses<'store' | 'llm' | 'clock' | 'newId'>,
  { apiKey = ANONYMOUS, ...definition }: NewDefinition,
  onCommit?: OnCommit<Agent>,
): Promise<Agent> {
  refuseUnusableModel(llm, definition);
  return store.write({}, async (sql) => {
    const now = clock.now();
    const agent: Agent = {
      id: newId(),
      version: 1,
      ...definition,
      createdAt: now,
      updatedAt: now,
    };
    await sql.insertAgent(agent, apiKey);
    await onCommit?.(sql, agent);
    return agent;
  });
}

/**
 * Makes a definition the next version of an agent, unless it is the current one. Runs keep the
 * definition that they began with.
 */
export async function replaceAgent(
  { store, llm, clock }: Uses<'store' | 'llm' | 'clock'>,
  id: string,
  { apiKey = ANONYMOUS, ...definition }: NewDefinition,
  check?: Check<Agent>,
): Promise<Agent> {
  refuseUnusableModel(llm, definition);
  return store.write({}, async (sql) => {
    const agent = await sql.agentToChange(id);
    if (agent === undefined) throw notFound(id);
    check?.(agent);
    const next = { ...agent, ...definition };
    if (digestOf(next) === digestOf(agent)) return agent;
    const changed = { ...next, version: agent.version + 1, updatedAt: clock.now() };
    await sql.replaceAgent(changed, apiKey);
    return changed;
  });
}

/** Deletes an agent with its versions. Its runs continue. */
export async function deleteAgent(
  { store }: Uses<'store'>,
  id: string,
  check?: Check<Agent>,
): Promise<void> {
  await store.write({}, async (sql) => {
    const agent = await sql.agentToChange(id);
    if (agent === undefined) throw notFound(id);
    check?.(agent);
    await sql.deleteAgent(id);
  });
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
