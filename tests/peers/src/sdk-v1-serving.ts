export { completable as completableV1 } from '@modelcontextprotocol/sdk/server/completable.js';
export { InMemoryTaskStore as InMemoryTaskStoreV1 } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
export {
  McpServer as McpServerV1,
  ResourceTemplate as ResourceTemplateV1,
} from '@modelcontextprotocol/sdk/server/mcp.js';
export { SSEServerTransport as SseServerTransportV1 } from '@modelcontextprotocol/sdk/server/sse.js';
export { StdioServerTransport as StdioServerTransportV1 } from '@modelcontextprotocol/sdk/server/stdio.js';
export { StreamableHTTPServerTransport as HttpServerTransportV1 } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
export type { EventStore as EventStoreV1 } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
export type { RequestHandlerExtra as RequestExtraV1 } from '@modelcontextprotocol/sdk/shared/protocol.js';
export {
  CreateMessageResultSchema as CreateMessageResultSchemaV1,
  ElicitResultSchema as ElicitResultSchemaV1,
  ListResourceTemplatesRequestSchema as ListResourceTemplatesRequestSchemaV1,
  ListRootsResultSchema as ListRootsResultSchemaV1,
  SubscribeRequestSchema as SubscribeRequestSchemaV1,
  UnsubscribeRequestSchema as UnsubscribeRequestSchemaV1,
} from '@modelcontextprotocol/sdk/types.js';
export type {
  JSONRPCMessage as JsonRpcMessageV1,
  ServerNotification as ServerNotificationV1,
  ServerRequest as ServerRequestV1,
} from '@modelcontextprotocol/sdk/types.js';
