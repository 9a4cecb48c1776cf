// Plain JavaScript, so that a server process starts without type stripping.
export { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
export { serveStdio as serveStdioV2 } from '@modelcontextprotocol/server/stdio';
export { z } from 'zod';
