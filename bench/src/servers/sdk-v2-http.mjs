import {
  createMcpHandlerV2,
  HttpServerTransportV2,
  toNodeHandlerV2,
} from '../../../tests/peers/src/sdk-v2-http-api.mjs';
import { listen, mode, tools } from './listen.mjs';
import { makeServer } from './make-sdk-v2.mjs';
import { serveSessions } from './serve-sessions.mjs';

const connect = (/** @type {HttpServerTransportV2} */ transport) =>
  makeServer(tools).connect(transport);
listen(
  mode === 'sessions'
    ? serveSessions((options) => new HttpServerTransportV2(options), connect)
    : serveEachRequest(),
);

function serveEachRequest() {
  const handle = toNodeHandlerV2(createMcpHandlerV2(() => makeServer(tools)));
  // The same thing in the SDK's own words for requests and answers.
  return /** @type {import('node:http').RequestListener} */ (handle);
}
