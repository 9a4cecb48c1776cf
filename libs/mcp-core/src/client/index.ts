export type {
  Client,
  CompleteOptions,
  ConnectClient,
  ConnectedServer,
  ServerChange,
  ServerChanges,
  Watch,
} from './client.ts';
export type {
  AskingRequest,
  CacheOptions,
  ClientOptions,
  HandlerCapabilities,
  InputAsked,
  InputRoundKeeper,
  LogEntry,
  QuestionContext,
  QuestionHandlers,
  RequestOptions,
} from './client-options.ts';
export { connectClient } from './connect-client.ts';
export { quickCheck } from '../schema/quick-check.ts';
export type { QuickProblem, QuickVerdict } from '../schema/quick-check.ts';
export { EvaluationUnavailableError } from '../schema/schema-evaluator.ts';
export type { SchemaEvaluator } from '../schema/schema-evaluator.ts';
export { MessageBudget } from '../jsonrpc/message-budget.ts';
export type { ClientTasks } from './tasks/client-tasks.ts';
