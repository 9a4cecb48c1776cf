import type { ModelSettings } from '../model-settings.ts';
import type { Page, PageOptions } from './page.ts';
import type { RunLimits } from './run.ts';

/** A stored agent definition. A run copies it when it is created. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  /** Instructions in addition to the service's own. */
  readonly instructions: string | undefined;
  readonly model: string | undefined;
  readonly servers: readonly string[] | undefined;
  readonly limits: Partial<RunLimits>;
  /** Settings of the model calls of its runs. Undefined: the model's defaults. */
  readonly modelSettings: ModelSettings | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Parts of an agent that a client sets. */
export type AgentDefinition = Omit<Agent, 'id' | 'createdAt' | 'updatedAt'>;

export interface AgentReader {
  agent(id: string): Promise<Agent | undefined>;
  /** Returns agents newest first. */
  agents(options: PageOptions): Promise<Page<Agent>>;
}

export interface AgentWriter {
  insertAgent(agent: Agent): Promise<void>;
  /** Updates an agent, only that of this time if `updatedAt` is given. Returns whether it did. */
  updateAgent(
    id: string,
    patch: Omit<Agent, 'id' | 'createdAt'>,
    updatedAt?: number,
  ): Promise<boolean>;
  /** Deletes an agent, only that of this time if `updatedAt` is given. Returns whether it did. */
  deleteAgent(id: string, updatedAt?: number): Promise<boolean>;
}
