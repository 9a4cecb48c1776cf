export { canonicalJson } from './jsonrpc/canonical-json.ts';
export { toJsonText } from './jsonrpc/json-text.ts';
export type {
  JsonObject,
  JsonRpcBatch,
  JsonRpcError,
  JsonRpcErrorObject,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  JsonRpcResult,
  RequestId,
} from './jsonrpc/messages.ts';
export type { ResultOrError } from './jsonrpc/responses.ts';
export { receiveText } from './jsonrpc/receive-text.ts';
export type { ReceiveTextOptions } from './jsonrpc/receive-text.ts';
export type { RefusedId } from './jsonrpc/refused-message.ts';
export type {
  AuthContext,
  MessageOrigin,
  SendOptions,
  Transport,
  TransportReceiver,
  UnreadableMessage,
} from './jsonrpc/transport.ts';
export { isLoopback } from './http/headers/loopback.ts';
export { PROTOCOL_VERSIONS } from './era/versions.ts';
export type {
  ClientCapabilities,
  ClientCapability,
  CustomCapabilities,
  ServerCapabilities,
} from './protocol/capabilities.ts';
export type { Era, ProtocolVersion } from './era/versions.ts';
export type { Implementation } from './protocol/implementation.ts';
export type { LoggingLevel } from './protocol/logging-levels.ts';
export type { Middleware, Next } from './protocol/middleware.ts';
export type { Progress } from './protocol/progress.ts';
export type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitParams,
  ElicitResult,
  ElicitUrlParams,
  ModelPreferences,
  Root,
  SamplingContent,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from './protocol/client-features.ts';
export type { CompleteParams, Completion, CompletionReference } from './protocol/completion.ts';
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  Role,
  TextContent,
  TextResourceContents,
} from './protocol/content.ts';
export {
  ErrorCode,
  LocalError,
  ProtocolError,
  ResourceNotFoundError,
  ToolError,
} from './protocol/errors.ts';
export type { LocalErrorCode, ToolErrorOptions } from './protocol/errors.ts';
export type { FromSchema } from './protocol/json-schema.ts';
export type { Icon } from './protocol/icons.ts';
export type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from './protocol/prompts.ts';
export type {
  CacheHints,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  SubscriptionFilter,
} from './protocol/resources.ts';
export type { DetailedTask, Task, TaskStatus, TaskSupport } from './protocol/tasks.ts';
export type { CallToolResult, JsonSchema, Tool, ToolAnnotations } from './protocol/tools.ts';
export { hasFormat } from './schema/text-formats.ts';
