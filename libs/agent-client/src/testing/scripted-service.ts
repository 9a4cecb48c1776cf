import { createClient, type Client } from '../create-client.ts';

/** Response to a request, or an error of `fetch`. */
export type Answer = Response | Error | ((request: Request) => Response | Promise<Response>);

/** A client of a service that gives one answer after the other. */
export interface ScriptedService {
  readonly client: Client;
  readonly requests: Request[];
}

/** Creates a service with its answers in order. A request beyond them fails with a `SyntaxError`, which is not sent again. */
export function scriptedService(answers: readonly Answer[], apiKey?: string): ScriptedService {
  const requests: Request[] = [];
  const waiting = [...answers];
  const client = createClient({
    baseUrl: 'http://service.test',
    apiKey,
    fetch: async (request) => {
      requests.push(request);
      const answer = waiting.shift();
      if (answer === undefined) throw new SyntaxError(`unexpected ${request.url}`);
      if (answer instanceof Error) throw answer;
      return typeof answer === 'function' ? answer(request) : answer;
    },
  });
  return { client, requests };
}

/** Returns a problem of the service. */
export function problem(status: number, more: object, headers: Record<string, string> = {}) {
  return new Response(
    JSON.stringify({ detail: 'no', code: 'run_not_found', retryable: false, ...more }),
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  );
}

/** Returns an event stream of frames that ends, fails with `error`, or stays open until the request is aborted. */
export function eventStream(
  frames: readonly object[],
  end: 'ends' | 'fails' | 'stays' = 'ends',
): (request: Request) => Response {
  return ({ signal }) => {
    const text = frames.map((frame) => textOf(frame)).join('');
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(`retry: 1000\n\n: keep-alive\n\n${text}`));
        signal.addEventListener('abort', () => controller.error(signal.reason));
        if (end === 'ends') controller.close();
      },
      pull(controller) {
        if (end === 'fails') controller.error(new TypeError('terminated'));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

function textOf(frame: object): string {
  const id = 'seq' in frame ? `id: ${String(frame.seq)}\n` : '';
  const event = 'type' in frame ? `event: ${String(frame.type)}\n` : '';
  return `${id}${event}data: ${JSON.stringify(frame)}\n\n`;
}
