// Plain JavaScript, so that a server process started with it pays for no type stripping.
export { StreamableHTTPServerTransport as HttpServerTransportV1 } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
