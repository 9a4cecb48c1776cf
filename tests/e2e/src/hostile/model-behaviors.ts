import type { ServerResponse } from 'node:http';
import { longText, MB, nested, objects } from './wire.ts';

type ModelBehavior = (response: ServerResponse) => void;

const chunk = (choices: string, more = ''): string =>
  `data: {"id":"c1","object":"chat.completion.chunk","model":"m","choices":${choices}${more}}\n\n`;
const delta = (text: string): string => chunk(`[{"index":0,"delta":${text},"finish_reason":null}]`);
const end = (reason = 'stop', usage = '{"prompt_tokens":7,"completion_tokens":3}'): string =>
  `${chunk(`[{"index":0,"delta":{},"finish_reason":"${reason}"}]`)}${chunk('[]', `,"usage":${usage}`)}data: [DONE]\n\n`;
const toolCall = (index: number, id: string, argumentsText: string): string =>
  `{"index":${index},"id":"${id}","type":"function","function":{"name":"calm__echo","arguments":${JSON.stringify(argumentsText)}}}`;

const says =
  (...parts: readonly (() => string)[]): ModelBehavior =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) response.write(part());
    response.end();
  };

/** Writes the piece repeatedly, as fast as the reader takes it. */
const pours =
  (piece: string): ModelBehavior =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const next = (): void => {
      while (response.writable && response.write(piece));
      if (response.writable) response.once('drain', next);
    };
    next();
  };

const usage = (text: string): ModelBehavior =>
  says(
    () => delta('{"content":"ok"}'),
    () => end('stop', text),
  );

export const modelBehaviors: { readonly [name: string]: ModelBehavior } = {
  'model: a fractional token count': usage('{"prompt_tokens":1.5,"completion_tokens":3}'),
  'model: token counts as strings': usage('{"prompt_tokens":"7","completion_tokens":"3"}'),
  'model: a negative token count': usage('{"prompt_tokens":-1e15,"completion_tokens":null}'),
  'model: two calls with one id': says(
    () =>
      delta(
        `{"tool_calls":[${toolCall(0, 'same', '{"text":"a"}')},${toolCall(1, 'same', '{"text":"b"}')}]}`,
      ),
    () => end('tool_calls'),
  ),
  'model: arguments nested 3,000 levels': says(
    () => delta(`{"tool_calls":[${toolCall(0, 'deep', `{"text":${nested(3000)}}`)}]}`),
    () => end('tool_calls'),
  ),
  'model: 100,000 calls in a message': says(
    () =>
      delta(
        `{"tool_calls":[${Array.from({ length: 100_000 }, (_, index) => toolCall(index, `c${index}`, '{"text":"a"}')).join(',')}]}`,
      ),
    () => end('tool_calls'),
  ),
  'model: arguments of 20 MB': says(
    () => delta(`{"tool_calls":[${toolCall(0, 'long', `{"text":${longText(20 * MB)}}`)}]}`),
    () => end('tool_calls'),
  ),
  'model: a text of 60 MB': says(
    ...Array.from({ length: 60 }, () => () => delta(`{"content":${longText(MB)}}`)),
    () => end(),
  ),
  'model: a chunk of 60 MB of objects': says(
    () => delta(`{"content":"a","x":${objects(60 * MB)}}`),
    () => end(),
  ),
  'model: malformed events': says(
    () => 'data: {\n\ndata: 7\n\nevent: x\n\n',
    () => end(),
  ),
  'model: text without end': pours(delta('{"content":"and so on "}').repeat(200)),
  'model: comments without end': pours(': wait\n\n'.repeat(10_000)),
  'model: a page instead of events': (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
  'model: an error of 10 MB': (response) =>
    void response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(`{"error":{"message":${longText(10 * MB)}}}`),
  'model: silence': (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
  'model: a reset in the middle': (response) =>
    void response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(delta('{"content":"a"}'), () => response.destroy()),
};

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** Answers a chat completion: a prompt that names a hostile behavior with this behavior, any other prompt with one call of the calm tool and then a text. */
export function answerChat(messages: readonly ChatMessage[], response: ServerResponse): void {
  const prompt = JSON.stringify(messages.find(({ role }) => role === 'user')?.content ?? '');
  const isDone = messages.some(({ role }) => role === 'tool');
  const name = Object.keys(modelBehaviors).find((each) => prompt.includes(each));
  const behave = name === undefined || isDone ? undefined : modelBehaviors[name];
  if (behave !== undefined) return behave(response);
  if (isDone)
    return says(
      () => delta('{"content":"done"}'),
      () => end(),
    )(response);
  return says(
    () => delta(`{"tool_calls":[${toolCall(0, `call_${Math.random()}`, '{"text":"hello"}')}]}`),
    () => end('tool_calls'),
  )(response);
}
