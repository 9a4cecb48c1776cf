import { HttpServerTransportV1 } from '../../../tests/peers/src/sdk-v1-http-api.mjs';
import { listen, mode, tools } from './listen.mjs';
import { makeServer } from './make-sdk-v1.mjs';
import { serveSessions } from './serve-sessions.mjs';

const connect = (/** @type {HttpServerTransportV1} */ transport) =>
  makeServer(tools).connect(transport);
listen(
  mode === 'stateless'
    ? serveStateless
    : serveSessions((options) => new HttpServerTransportV1(options), connect),
);

/** A server and a transport for each request, as the SDK's documentation shows it. @type {import('node:http').RequestListener} */
async function serveStateless(request, response) {
  const server = makeServer(tools);
  const transport = new HttpServerTransportV1({});
  response.on('close', () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}
