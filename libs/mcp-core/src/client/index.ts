export type { Client, ClientOptions, ConnectClient, ConnectedServer, QuestionContext, QuestionHandlers, RequestOptions, Watch } from './client.ts';
