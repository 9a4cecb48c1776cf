export { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
export { SSEClientTransport as SseClientTransportV1 } from '@modelcontextprotocol/sdk/client/sse.js';
export { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
export { StreamableHTTPClientTransport as HttpClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
export {
  CallToolResultSchema as CallToolResultSchemaV1,
  CreateMessageRequestSchema as CreateMessageRequestSchemaV1,
  ElicitRequestSchema as ElicitRequestSchemaV1,
  ListRootsRequestSchema as ListRootsRequestSchemaV1,
  LoggingMessageNotificationSchema as LoggingMessageNotificationSchemaV1,
  PromptListChangedNotificationSchema as PromptListChangedNotificationSchemaV1,
  ResourceListChangedNotificationSchema as ResourceListChangedNotificationSchemaV1,
  ResourceUpdatedNotificationSchema as ResourceUpdatedNotificationSchemaV1,
  ToolListChangedNotificationSchema as ToolListChangedNotificationSchemaV1,
} from '@modelcontextprotocol/sdk/types.js';
