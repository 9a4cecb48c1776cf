export type {
  AuthDecision,
  Authenticate,
  BearerTokens,
  GrantedAccess,
  RefusedAccess,
  RequestAuthenticator,
  RequestTarget,
} from './authentication.ts';
export { createHttpHandler } from './create-http-handler.ts';
export { MemoryEventStore } from './event-store.ts';
export type {
  EventStore,
  MemoryEventStoreLimits,
  StoredEvent,
  StreamAddress,
} from './event-store.ts';
export type { HttpHeaders } from '../headers/http-headers.ts';
export type {
  HandleOptions,
  HttpAccessOptions,
  HttpHandler,
  HttpHandlerOptions,
  HttpHandlerStats,
  HttpLimits,
  HttpSessionOptions,
} from './http-handler.ts';
export type { LegacySsePaths } from './legacy-sse-endpoint.ts';
export { serveHttp } from './serve-http.ts';
export type { HttpListener, HttpListenerLimits, ServeHttpOptions } from './serve-http.ts';
