import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

/** A scripted local HTTP server in place of Open-Meteo. */
export interface Upstream {
  readonly url: URL;
  /** Path and query of each request, in order of arrival. */
  readonly requests: readonly URL[];
  readonly userAgents: readonly (string | undefined)[];
  /** Returns the highest number of requests that were open at the same time. */
  readonly mostAtOnce: () => number;
  /** Resolves at the next request. */
  readonly nextRequest: () => Promise<void>;
  /** Resolves when the next client closes its connection before the response is complete. */
  readonly nextCut: () => Promise<void>;
  readonly stop: () => void;
}

export type Answer = (exchange: {
  readonly url: URL;
  readonly response: ServerResponse;
  readonly nth: number;
}) => void;

/** Listens on a free port until the function given to `onFinished` is called. */
export async function startUpstream(
  onFinished: (stop: () => void) => void,
  answer: Answer,
): Promise<Upstream> {
  const requests: URL[] = [];
  const userAgents: (string | undefined)[] = [];
  const events = new EventEmitter();
  let open = 0;
  let mostAtOnce = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://upstream');
    requests.push(url);
    userAgents.push(request.headers['user-agent']);
    open += 1;
    mostAtOnce = Math.max(mostAtOnce, open);
    response.on('close', () => {
      open -= 1;
      if (!response.writableFinished) events.emit('cut');
    });
    events.emit('request');
    answer({ url, response, nth: requests.length });
  });
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFinished(stop);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    requests,
    userAgents,
    mostAtOnce: () => mostAtOnce,
    nextRequest: async () => void (await once(events, 'request')),
    nextCut: async () => void (await once(events, 'cut')),
    stop,
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
