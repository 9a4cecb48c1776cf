import type { ModelSettings } from '../model-settings.ts';
import type { ToolRules } from '../tool-rules.ts';
import type { Page, PageOptions } from './page.ts';
import type { RunLimits } from './run.ts';

/** Maximum number of versions that are kept of one agent. */
export const MAX_AGENT_VERSIONS = 100;

/** A stored agent in its current version. A run copies the definition when it is created. */
export interface Agent {
  readonly id: string;
  /** Number of the definition: 1 for the first, one more for each change. */
  readonly version: number;
  readonly name: string;
  /** Instructions in addition to the service's own. */
  readonly instructions: string | undefined;
  readonly model: string | undefined;
  readonly servers: readonly string[] | undefined;
  readonly limits: Partial<RunLimits>;
  /** Settings of the model calls of its runs. Undefined: the model's defaults. */
  readonly modelSettings: ModelSettings | undefined;
  /** Tools that its runs may use, and the approval of their calls. Undefined: no rules. */
  readonly toolRules: ToolRules | undefined;
  readonly createdAt: number;
  /** Time of the current version. */
  readonly updatedAt: number;
}

/** Parts of an agent that a client sets. */
export type AgentDefinition = Omit<Agent, 'id' | 'version' | 'createdAt' | 'updatedAt'>;

/** A definition that an agent has or had. It never changes. */
export interface AgentVersion extends AgentDefinition {
  readonly agentId: string;
  readonly version: number;
  /**
   * Name of the API key of the request that made the version. Undefined for a definition that is
   * older than the records of versions.
   */
  readonly apiKey: string | undefined;
  readonly createdAt: number;
}

/** A version in a list, without its definition. */
export type AgentVersionEntry = Pick<
  AgentVersion,
  'agentId' | 'version' | 'name' | 'apiKey' | 'createdAt'
>;

export interface AgentReader {
  agent(id: string): Promise<Agent | undefined>;
  /** Returns agents newest first. */
  agents(options: PageOptions): Promise<Page<Agent>>;
  agentVersion(agentId: string, version: number): Promise<AgentVersion | undefined>;
  /** Returns the versions of an agent that are kept, newest first. */
  agentVersions(agentId: string, options: PageOptions): Promise<Page<AgentVersionEntry>>;
}

export interface AgentWriter {
  /** Stores an agent, and its definition as a version that was made with an API key. */
  insertAgent(agent: Agent, apiKey: string): Promise<void>;
  /**
   * Returns an agent. Other transactions that get it for a change wait until this one has ended.
   */
  agentToChange(id: string): Promise<Agent | undefined>;
  /**
   * Stores an agent in its next version, which was made with an API key. Deletes the oldest versions
   * beyond `MAX_AGENT_VERSIONS`.
   */
  replaceAgent(agent: Agent, apiKey: string): Promise<void>;
  /** Deletes an agent and its versions. Returns whether it did. */
  deleteAgent(id: string): Promise<boolean>;
}
