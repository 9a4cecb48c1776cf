export { Client as ClientV2 } from '@modelcontextprotocol/client';
export { StdioClientTransport as StdioClientTransportV2 } from '@modelcontextprotocol/client/stdio';
