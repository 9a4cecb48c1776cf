export type { AuthContext } from '../jsonrpc/transport.ts';
export type { AuthDecision, Authenticate } from './server/authentication.ts';
export { createHttpHandler } from './server/create-http-handler.ts';
export { MemoryEventStore } from './server/event-store.ts';
export type {
  EventStore,
  MemoryEventStoreLimits,
  StoredEvent,
  StreamAddress,
} from './server/event-store.ts';
export type { HttpHeaders } from './server/http-exchange.ts';
export type { HttpHandler, HttpHandlerOptions, RequestAuth } from './server/http-handler.ts';
export type { LegacySsePaths } from './server/legacy-sse-endpoint.ts';
export { serveHttp } from './server/serve-http.ts';
export type { HttpListener, ServeHttpOptions } from './server/serve-http.ts';
