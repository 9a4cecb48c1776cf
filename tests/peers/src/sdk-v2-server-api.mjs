// Plain JavaScript, so that a server process started with it pays for no type stripping.
export { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
export { serveStdio as serveStdioV2 } from '@modelcontextprotocol/server/stdio';
export { z } from 'zod';
