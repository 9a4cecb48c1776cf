export { createServer } from './create-server.ts';
export type { InteractiveContext, Question, RequestClient, RequestContext } from './context.ts';
export type { ChangeHub, LegacySession, ResourceProvider, Server, ServerConnection, ServerOptions } from './server.ts';
export { defineTool } from './tool.ts';
export type { ToolDefinition, ToolOutput } from './tool.ts';
