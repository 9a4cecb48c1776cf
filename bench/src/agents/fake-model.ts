import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** The argument of every tool call. */
const TEXT = 'the quick brown fox jumps over the lazy dog';

export interface FakeModelOptions {
  /** Tool calls that the model asks for in a run, one in each turn. */
  readonly turns: number;
  /** Called before each answer with the prompt of the run and the number of tool results so far. */
  readonly onTurn?: (prompt: string, results: number) => void;
}

/** A model over HTTP that answers OpenAI's chat completions, streamed or whole. */
export interface FakeModel extends AsyncDisposable {
  /** Base address, with `/v1`. */
  readonly url: string;
  /** Prompts of the runs that received the last answer, once for each such answer. */
  readonly ended: readonly string[];
  /** Requests so far. */
  readonly requests: number;
}

interface ChatRequest {
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | readonly { readonly text?: string }[] | null;
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Starts a model that calls the tool whose name contains `echo` in each turn and then answers with a text. */
export async function startFakeModel({ turns, onTurn }: FakeModelOptions): Promise<FakeModel> {
  const ended: string[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readJson(request);
      requests += 1;
      const prompt = promptOf(body);
      const results = body.messages.filter(({ role }) => role === 'tool').length;
      onTurn?.(prompt, results);
      const isLast = results >= turns;
      if (isLast) ended.push(prompt);
      answer(response, body, { id: requests, isLast });
    })();
  });
  // A slow backend must not meet a connection that was closed because it was idle.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    ended,
    get requests() {
      return requests;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readJson(request: IncomingMessage): Promise<ChatRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  // Every client of the benchmark sends chat completions; anything else fails at its first member.
  return JSON.parse(Buffer.concat(pieces).toString('utf8')) as ChatRequest;
}

function promptOf({ messages }: ChatRequest): string {
  const content = messages.find(({ role }) => role === 'user')?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}

/** Answers with a call of the tool, or with a text if it is the last answer of the run. */
function answer(
  response: ServerResponse,
  { stream, tools = [] }: ChatRequest,
  { id, isLast }: { readonly id: number; readonly isLast: boolean },
): void {
  // LangGraph replaces the message before that has the same id.
  const base = { id: `chatcmpl-${String(id)}`, created: 1, model: 'fake' };
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const name = tools.map((tool) => tool.function.name).find((each) => each.includes('echo'));
  const call = {
    index: 0,
    id: `call_${String(id)}`,
    type: 'function',
    function: { name, arguments: JSON.stringify({ text: TEXT }) },
  };
  const message = isLast
    ? { role: 'assistant', content: 'All of it was said again.' }
    : { role: 'assistant', content: 'I say it again.', tool_calls: [call] };
  const finish = isLast ? 'stop' : 'tool_calls';
  if (stream !== true) {
    const body = JSON.stringify({
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
      usage,
    });
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
    return;
  }
  const chunk = (choices: readonly object[], more: object = {}): string =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    `${chunk([{ index: 0, delta: message, finish_reason: null }])}${chunk([{ index: 0, delta: {}, finish_reason: finish }])}${chunk([], { usage })}data: [DONE]\n\n`,
  );
}
