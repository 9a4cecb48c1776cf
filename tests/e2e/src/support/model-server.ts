import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './client.ts';

/** Response of the model to the next request. */
export interface Said {
  readonly text?: string;
  readonly refusal?: string;
  readonly call?: { readonly name: string; readonly arguments: string };
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'content_filter';
}

/** An answer without words, before which the client should wait. */
export interface Refused {
  readonly status: number;
  readonly retryAfterS?: number;
}

export interface ModelServer {
  /** Base URL of the chat completions API, with its version. */
  readonly url: string;
  /** The bodies of the requests so far. */
  readonly requests: readonly Json[];
  /** Next responses, in order; the last is repeated. */
  say(...said: readonly [Said | Refused, ...(Said | Refused)[]]): void;
  /** Forgets the requests so far. */
  forget(): void;
  close(): Promise<void>;
}

/** A chat completions API of a local server, on a free port, that shows what it was sent. */
export async function startModelServer(): Promise<ModelServer> {
  const requests: Json[] = [];
  let answers: readonly (Said | Refused)[] = [];
  const next = (): Said | Refused => {
    const [first = { text: 'ok', finish: 'stop' }, ...rest] = answers;
    if (rest.length > 0) answers = rest;
    return first;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks = (await request.toArray()) as Buffer[]; // no encoding is set
    requests.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json);
    const said = next();
    if ('status' in said) {
      response.writeHead(said.status, {
        'content-type': 'application/json',
        ...(said.retryAfterS === undefined ? {} : { 'retry-after': String(said.retryAfterS) }),
      });
      response.end(JSON.stringify({ error: { message: 'too many requests' } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      chunksOf(said)
        .map((chunk) => `data: ${chunk}\n\n`)
        .join(''),
    );
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    say: (...said) => void (answers = said),
    forget: () => void requests.splice(0),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function chunksOf({ text, refusal, call, finish }: Said): readonly string[] {
  const delta = {
    ...(text === undefined ? {} : { content: text }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(call === undefined
      ? {}
      : { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] }),
  };
  const chunk = (choices: readonly object[], rest: object = {}): string =>
    JSON.stringify({ id: 'c1', model: 'the-model', choices, ...rest });
  return [
    chunk([{ index: 0, delta, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: finish }]),
    chunk([], { usage: { prompt_tokens: 7, completion_tokens: 3 } }),
    '[DONE]',
  ];
}
