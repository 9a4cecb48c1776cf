// Plain JavaScript, so that a server process started with it pays for no type stripping.
export { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
export { StdioServerTransport as StdioServerTransportV1 } from '@modelcontextprotocol/sdk/server/stdio.js';
export { z } from 'zod';
