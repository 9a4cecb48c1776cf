// Plain JavaScript, so that a server process starts without type stripping.
export { StreamableHTTPServerTransport as HttpServerTransportV1 } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
