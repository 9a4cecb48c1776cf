export type { Completer, CompletionInput, CompletionOutput } from './completion/completer.ts';
export type { ResourceWatcher } from './resources/defined-resources.ts';
export { defineMethod } from './extensions/custom-methods.ts';
export type { MethodDefinition, NotificationHandler } from './extensions/custom-methods.ts';
export type { ServerMiddleware, ServerRequest } from './extensions/middleware.ts';
export { createServer } from './create-server.ts';
export type {
  InteractiveContext,
  InputRequest,
  InputRequestOptions,
  RequestClient,
  RequestContext,
} from './requests/request-context.ts';
export type { RequestStateOptions, UsedStates } from './input/request-state.ts';
export type { ChangeHub } from './subscriptions/change-hub.ts';
export type { LegacySession } from './connection/legacy-session.ts';
export type { ResourceProvider, TemplateVariable } from './resources/resource-provider.ts';
export type {
  ListOptions,
  Server,
  ServerConnection,
  ServerExtensions,
  ServerListener,
  ServerEvents,
  ServerLimits,
  ServerOptions,
  ServerSettings,
} from './server.ts';
export type { RequestLink } from './requests/request-link.ts';
export { Suspended } from './input/journal.ts';
export { definePrompt } from './prompts/prompt.ts';
export type {
  PromptArgumentDefinition,
  PromptArgumentsOf,
  PromptDefinition,
  PromptOutput,
} from './prompts/prompt.ts';
export { defineResource, defineResourceTemplate } from './resources/resource.ts';
export type {
  ResourceDefinition,
  ResourceOutput,
  ResourceTemplateDefinition,
  TemplateVariables,
} from './resources/resource.ts';
export { defineTool } from './tools/tool.ts';
export type { ToolDefinition } from './tools/tool.ts';
export { SerializedJson, serializedLength } from '../jsonrpc/serialized-json.ts';
export { toCallToolResult } from './tools/tool-output.ts';
export type {
  ContentOutput,
  ErrorOutput,
  OutputFor,
  StructuredContentOf,
  StructuredOutput,
  ToolContent,
  ToolOutput,
} from './tools/tool-output.ts';
export type {
  InputOf,
  OutputOf,
  SchemaOutput,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from '../schema/standard-schema.ts';
export { InMemoryTaskStore } from './tasks/in-memory-task-store.ts';
export type { InMemoryTaskStoreOptions } from './tasks/in-memory-task-store.ts';
export type { ServerTaskOptions } from './tasks/task-options.ts';
export type { TaskPage, TaskRecord, TaskStore } from './tasks/task-store.ts';
