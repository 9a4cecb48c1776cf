export {
  Client as ClientV2,
  DpopSession as DpopSessionV2,
  LOG_LEVEL_META_KEY as LOG_LEVEL_META_KEY_V2,
  SSEClientTransport as SseClientTransportV2,
  StreamableHTTPClientTransport as HttpClientTransportV2,
  UnauthorizedError as UnauthorizedErrorV2,
} from '@modelcontextprotocol/client';
export type {
  OAuthClientProvider as OAuthClientProviderV2,
  Transport as ClientTransportV2,
} from '@modelcontextprotocol/client';
export { StdioClientTransport as StdioClientTransportV2 } from '@modelcontextprotocol/client/stdio';
