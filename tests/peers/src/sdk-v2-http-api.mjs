// Plain JavaScript, so that a server process starts without type stripping.
export {
  NodeStreamableHTTPServerTransport as HttpServerTransportV2,
  toNodeHandler as toNodeHandlerV2,
} from '@modelcontextprotocol/node';
export { createMcpHandler as createMcpHandlerV2 } from '@modelcontextprotocol/server';
