export type { CacheOptions } from './caching/response-cache.ts';
export type { CacheHints } from './caching/cache-hints.ts';
export type { Client, CompleteOptions, ReadResourceOptions } from './client.ts';
export type { ConnectedServer } from './versioning/connected-server.ts';
export type {
  ClientEvents,
  ClientExtensions,
  ClientLimits,
  ClientOptions,
  CustomRequestOptions,
  InputRoundOptions,
  OutputOptions,
  RequestOptions,
  RequestTaskOptions,
} from './client-options.ts';
export { defineClientMethod } from './extensions/custom-methods.ts';
export type { ClientMethodDefinition } from './extensions/custom-methods.ts';
export type { ClientMiddleware, ClientRequest } from './extensions/middleware.ts';
export { connectClient } from './connect-client.ts';
export type { LogEntry } from './connection/logging.ts';
export type {
  ClientNotificationHandler,
  NotificationContext,
} from './extensions/notification-handler.ts';
export type {
  HandlerCapabilities,
  InputContext,
  InputHandlers,
  InputRound,
  InputRoundStore,
  OriginatingRequest,
} from './input/input-handlers.ts';
export type { ChangeHandlers } from './subscriptions/change-handlers.ts';
export type { Watch } from './subscriptions/watches.ts';
export type { ListPage, ListPages, PageOptions } from './requests/lists.ts';
export type { ClientTasks } from './tasks/client-tasks.ts';
export { MessageBudget } from '../jsonrpc/message-budget.ts';
export { EvaluationUnavailableError } from '../schema/schema-evaluator.ts';
export type { SchemaEvaluator } from '../schema/schema-evaluator.ts';
