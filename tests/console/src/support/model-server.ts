import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to the model, as the chat completions API has it. */
export interface ModelRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly [field: string]: unknown;
}

/** Writes the reply to a request. The reply ends when the function that writes it has returned. */
export interface Reply {
  text(part: string): void;
  call(name: string, args: object): void;
}

/** A model that streams what a test writes. */
export interface ModelServer {
  /** Base URL of the chat completions API, with its version. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Answers each request from now on. */
  respond: (request: ModelRequest, reply: Reply) => void | Promise<void>;
  stop(): Promise<void>;
}

/** Starts a chat completions API on a free port of this machine. */
export async function startModelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks = (await request.toArray()) as Buffer[]; // no encoding is set
    const asked = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ModelRequest;
    requests.push(asked);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (choices: readonly object[], more: object = {}): void =>
      void response.write(
        `data: ${JSON.stringify({ id: 'c1', model: 'model-a', choices, ...more })}\n\n`,
      );
    let calls = 0;
    await server.respond(asked, {
      text: (content) => send([{ index: 0, delta: { content }, finish_reason: null }]),
      call(name, args) {
        const call = { name, arguments: JSON.stringify(args) };
        const id = `call_${requests.length}_${calls}`;
        const part = { index: calls, id, type: 'function', function: call };
        send([{ index: 0, delta: { tool_calls: [part] }, finish_reason: null }]);
        calls += 1;
      },
    });
    send([{ index: 0, delta: {}, finish_reason: calls === 0 ? 'stop' : 'tool_calls' }]);
    send([], { usage: { prompt_tokens: 7, completion_tokens: 3 } });
    response.end('data: [DONE]\n\n');
  };
  const listener = createServer((request, response) => void answer(request, response));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const server: ModelServer = {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    respond: (_request, reply) => reply.text('ok'),
    async stop() {
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
    },
  };
  return server;
}
