import type { Agent } from '../store/agent.ts';

/** Returns an agent in its first version that sets nothing. */
export function storedAgent(id: string, fields: Partial<Agent> = {}): Agent {
  return {
    id,
    version: 1,
    name: 'agent',
    instructions: undefined,
    model: undefined,
    servers: undefined,
    limits: {},
    modelSettings: undefined,
    toolRules: undefined,
    createdAt: 1,
    updatedAt: 1,
    ...fields,
  };
}
