export type { Completer, CompletionInput, CompletionOutput } from './completion.ts';
export { createResources } from './create-resources.ts';
export type { ResourcesOptions } from './create-resources.ts';
export { createServer } from './create-server.ts';
export type { InteractiveContext, Question, RequestClient, RequestContext } from './context.ts';
export type { RequestStateOptions, UsedStates } from './request-states.ts';
export type {
  ChangeHub,
  LegacySession,
  ResourceProvider,
  Server,
  ServerConnection,
  RequestLink,
  ServerOptions,
  TemplateVariable,
} from './server.ts';
export { Suspended } from './journal.ts';
export { definePrompt } from './prompt.ts';
export type { PromptArgumentDefinition, PromptDefinition } from './prompt.ts';
export { defineResource, defineResourceTemplate } from './resource.ts';
export type {
  ResourceDefinition,
  ResourceOutput,
  ResourceTemplateDefinition,
  TemplateVariables,
} from './resource.ts';
export { defineTool } from './tool.ts';
export type { ToolDefinition, ToolOutput } from './tool.ts';
export type { StandardSchema } from '../schema/standard-schema.ts';
export { InMemoryTaskStore } from './tasks/in-memory-task-store.ts';
export type { InMemoryTaskStoreOptions } from './tasks/in-memory-task-store.ts';
export type { ServerTaskOptions } from './tasks/task-engine.ts';
export type { TaskPage, TaskRecord, TaskStore } from './tasks/task-store.ts';
