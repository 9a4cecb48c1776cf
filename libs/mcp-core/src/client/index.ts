export type {
  Client,
  ClientOptions,
  ConnectClient,
  ConnectedServer,
  LogEntry,
  QuestionContext,
  QuestionHandlers,
  RequestOptions,
  Watch,
} from './client.ts';
export { connectClient } from './connect-client.ts';
