export type {
  Agent,
  Artifact,
  InboxItem,
  InboxResponse,
  MessageDeltaFrame,
  Model,
  NewRun,
  Run,
  RunEvent,
  RunSnapshotFrame,
  RunStatus,
  Server,
  ServerDetail,
  Thread,
  ThreadMessage,
  Tool,
  ToolCall,
} from './api-types.ts';
export { createClient, type Api, type Client, type ClientOptions } from './create-client.ts';
export type { components, operations, paths } from './generated/openapi.ts';
export { ProblemError, type FieldProblem, type ProblemCode } from './problem-error.ts';
export { unwrap, type ApiResponse } from './unwrap.ts';
