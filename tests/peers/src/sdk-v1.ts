export { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
export { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
export { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
