export {
  NodeStreamableHTTPServerTransport as HttpServerTransportV2,
  toNodeHandler as toNodeHandlerV2,
} from '@modelcontextprotocol/node';
export {
  completable as completableV2,
  createMcpHandler as createMcpHandlerV2,
  getOAuthProtectedResourceMetadataUrl as getMetadataUrlV2,
  inputRequired as inputRequiredV2,
  McpServer as McpServerV2,
  OAuthError as OAuthErrorV2,
  OAuthErrorCode as OAuthErrorCodeV2,
  oauthMetadataResponse as oauthMetadataResponseV2,
  requireBearerAuth as requireBearerAuthV2,
  requireScopes as requireScopesV2,
  ResourceTemplate as ResourceTemplateV2,
} from '@modelcontextprotocol/server';
export type {
  AuthInfo as AuthInfoV2,
  CallToolResult as CallToolResultV2,
  InputRequiredResult as InputRequiredResultV2,
  ServerContext as ServerContextV2,
} from '@modelcontextprotocol/server';
export { SSEServerTransport as SseServerTransportV2 } from '@modelcontextprotocol/server-legacy/sse';
export { serveStdio as serveStdioV2 } from '@modelcontextprotocol/server/stdio';
