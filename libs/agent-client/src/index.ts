export type {
  Agent,
  AgentVersion,
  AgentVersionEntry,
  Artifact,
  InboxItem,
  InboxResponse,
  Message,
  MessageDeltaFrame,
  Model,
  NewRun,
  Queue,
  Run,
  RunEvent,
  RunSnapshotFrame,
  RunStatus,
  Server,
  ServerDefinition,
  ServerDetail,
  Stats,
  Thread,
  Tool,
  ToolCall,
  Worker,
} from './api-types.ts';
export type { ArtifactOptions, Artifacts } from './artifacts/artifacts.ts';
export type { Api, ClientOptions } from './create-api.ts';
export { createClient, type Client } from './create-client.ts';
export type { components, operations, paths } from './generated/openapi.ts';
export type { InboxResponses, ResponseTo } from './inbox/inbox-responses.ts';
export type { Inbox, InboxQuery } from './inbox/inbox.ts';
export { paginate, type Page } from './paginate.ts';
export { ProblemError, type FieldProblem, type ProblemCode } from './problem-error.ts';
export type { Retry, RetryOptions } from './retry/back-off.ts';
export { isSettled } from './runs/is-settled.ts';
export { newIdempotencyKey } from './retry/idempotency-key.ts';
export type { OnceOptions } from './retry/with-retries.ts';
export type { CancelOptions, RunQuery, Runs } from './runs/runs.ts';
export type { RunFrame, RunSnapshot, StreamOptions } from './runs/stream-run.ts';
export { StalledStreamError } from './runs/with-stall-limit.ts';
export { unwrap, type ApiResponse } from './unwrap.ts';
