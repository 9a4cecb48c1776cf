// Plain JavaScript, so that a server process starts without type stripping.
export { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
export { StdioServerTransport as StdioServerTransportV1 } from '@modelcontextprotocol/sdk/server/stdio.js';
export { z } from 'zod';
