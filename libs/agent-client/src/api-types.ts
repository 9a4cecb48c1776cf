import type { components } from './generated/openapi.ts';

/** A run, as the service returns it. */
export type Run = components['schemas']['Run'];
/** Status of a run. */
export type RunStatus = Run['status'];
/** Body of a request that starts a run. */
export type NewRun = components['schemas']['NewRun'];
/** A stored event of a run, distinguished by `type`. */
export type RunEvent = components['schemas']['RunEvent'];
/** State of a run at the start of a stream, with the text of an unfinished message. */
export type RunSnapshotFrame = components['schemas']['RunSnapshotFrame'];
/** The next part of an unfinished message. */
export type MessageDeltaFrame = components['schemas']['MessageDeltaFrame'];
/** A tool call with its state, arguments and result. */
export type ToolCall = components['schemas']['ToolCall'];
/** A request that waits for a person, distinguished by `kind`. */
export type InboxItem = components['schemas']['InboxItem'];
/** Body of a response to an inbox item. */
export type InboxResponse = components['schemas']['InboxResponse'];
/** A thread of consecutive runs. */
export type Thread = components['schemas']['Thread'];
/** A message of a run, a part of the conversation with the model. */
export type Message = components['schemas']['Message'];
/** A stored agent. */
export type Agent = components['schemas']['Agent'];
/** A definition that an agent has or had. */
export type AgentVersion = components['schemas']['AgentVersion'];
/** A version of an agent in a list, without its definition. */
export type AgentVersionEntry = components['schemas']['AgentVersionEntry'];
/** A text, an image or another file of a run. */
export type Artifact = components['schemas']['Artifact'];
/** A tool that runs may use. */
export type Tool = components['schemas']['Tool'];
/** An MCP server with its state. */
export type Server = components['schemas']['Server'];
/** The definition of an MCP server, an entry of `mcpServers`. */
export type ServerDefinition = components['schemas']['ServerDefinitionInput'];
/** An MCP server with its instructions, capabilities and tools. */
export type ServerDetail = components['schemas']['ServerDetail'];
/** Statistics of runs over time. */
export type Stats = components['schemas']['Stats'];
/** Runs and jobs that wait or are in progress. */
export type Queue = components['schemas']['Queue'];
/** A process of the service. */
export type Worker = components['schemas']['Worker'];
/** A model of a configured provider. */
export type Model = components['schemas']['Model'];
