import type { JsonObject } from '@signalbox/mcp-core';
import { imageProblem, toolProblem } from './fake-checks.ts';
import { FAKE_USAGE, type FakeTurn, type FakeWire } from './fake-wire.ts';

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
  readonly input_audio?: { readonly format: string };
}

interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly Part[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
}

interface Request {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly {
    readonly type: string;
    readonly function: { readonly name: string; readonly parameters: JsonObject };
  }[];
  readonly stream: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly stop?: readonly string[];
  readonly temperature?: number;
  readonly reasoning_effort?: string;
  readonly tool_choice?: string;
}

/** A fake Chat Completions API of a compatible server, as strict as OpenAI's. */
export const fakeChat: FakeWire = {
  path: '/v1/chat/completions',
  check: (body) => requestProblem(body as unknown as Request), // checked by what follows
  error: (type, message) => ({
    error: {
      message,
      type,
      param: null,
      code: type === 'authentication_error' ? 'invalid_api_key' : null,
    },
  }),
  encode: (turn, body) => encode(turn, body as unknown as Request), // checked before
  streamError: (code, message) =>
    `data: ${JSON.stringify({ error: { type: code, code, message } })}\n\n`,
};

function requestProblem(request: Request): string | undefined {
  if (!request.stream || request.stream_options?.include_usage !== true)
    return 'this fake wants stream: true with include_usage';
  if (request.max_completion_tokens !== undefined)
    return 'Unrecognized request argument supplied: max_completion_tokens';
  if (typeof request.max_tokens !== 'number' || request.max_tokens < 1)
    return "Invalid 'max_tokens': integer below minimum value.";
  if ((request.stop?.length ?? 0) > 4)
    return "Invalid 'stop': array too long. Expected an array with maximum length 4.";
  if (/^(gpt-[5-9]|o\d)/.test(request.model) && request.tools !== undefined)
    return `Function tools with reasoning_effort are not supported for ${request.model} in /v1/chat/completions. Please use /v1/responses instead.`;
  if (/^(gpt-[5-9]|o\d)/.test(request.model) && request.temperature !== undefined)
    return "Unsupported value: 'temperature' does not support this value with this model.";
  if (request.reasoning_effort !== undefined && !request.model.startsWith('gpt-oss'))
    return "Unsupported parameter: 'reasoning_effort' is not supported with this model.";
  if ((request.temperature ?? 0) > 2) return "Invalid 'temperature': expected a value <= 2.";
  if (request.tool_choice !== undefined && request.tools === undefined)
    return "'tool_choice' is only allowed when 'tools' are specified.";
  return (
    toolProblem(
      (request.tools ?? []).map(({ function: { name, parameters } }) => ({
        name,
        schema: parameters,
      })),
    ) ?? messagesProblem(request.messages)
  );
}

function messagesProblem(messages: readonly ChatMessage[]): string | undefined {
  const open = new Set<string>();
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  for (const [at, message] of messages.entries()) {
    const { role, content, tool_calls: calls = [], tool_call_id: callId } = message;
    if (role === 'developer') return "messages: unknown role 'developer'";
    if (role === 'system' && at > 0) return 'System message must be at the beginning.';
    if (role === 'tool') {
      if (typeof content !== 'string') return 'tool messages take text only';
      if (callId === undefined || !open.delete(callId))
        return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      continue;
    }
    if (open.size > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following did not have response messages: ${[...open].join(', ')}`;
    if (role === messages[at - 1]?.role && role === 'user')
      return 'Conversation roles must alternate user/assistant';
    if (content === undefined && calls.length === 0) return "Expected 'content' or 'tool_calls'";
    if (message.reasoning_content !== undefined && at < asked)
      return 'reasoning_content is not allowed in earlier turns';
    const problem = contentProblem(content) ?? callsProblem(calls);
    if (problem !== undefined) return problem;
    for (const { id } of calls) open.add(id);
  }
  return open.size === 0
    ? undefined
    : `An assistant message with 'tool_calls' must be followed by tool messages: ${[...open].join(', ')}`;
}

function contentProblem(content: string | readonly Part[] | undefined): string | undefined {
  if (content === undefined) return undefined;
  if (typeof content === 'string') return content.trim() === '' ? 'blank text' : undefined;
  for (const part of content) {
    if (part.type === 'text' && part.text?.trim() === '') return 'blank text';
    const [, mimeType, base64] = /^data:([^;]+);base64,(.*)$/.exec(part.image_url?.url ?? '') ?? [];
    const image =
      part.type === 'image_url'
        ? mimeType === undefined || base64 === undefined
          ? 'image_url'
          : imageProblem(mimeType, base64)
        : undefined;
    if (image !== undefined) return image;
    if (part.type === 'input_audio' && !['wav', 'mp3'].includes(part.input_audio?.format ?? ''))
      return 'input_audio.format';
  }
  return undefined;
}

function callsProblem(calls: NonNullable<ChatMessage['tool_calls']>): string | undefined {
  for (const {
    id,
    function: { arguments: json },
  } of calls) {
    if (id.length > 40)
      return "Invalid 'messages[0].tool_calls[0].id': string too long. Expected a string with maximum length 40.";
    JSON.parse(json);
  }
  return undefined;
}

function encode(turn: FakeTurn, request: Request): string[] {
  const cut = (text: string): string[] => text.match(/.{1,3}/gsu) ?? [];
  const head = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: `${request.model}-2026-01-01`,
  };
  const chunk = (delta: JsonObject, finish: string | null = null): string =>
    data({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], usage: null });
  const calls = turn.calls ?? [];
  const finish =
    turn.stop === 'max_tokens'
      ? 'length'
      : turn.stop === 'refusal'
        ? 'content_filter'
        : calls.length > 0
          ? 'tool_calls'
          : 'stop';
  const usage = {
    prompt_tokens: FAKE_USAGE.uncached + FAKE_USAGE.cacheRead + FAKE_USAGE.cacheWrite,
    completion_tokens: FAKE_USAGE.output,
    prompt_tokens_details: {
      cached_tokens: FAKE_USAGE.cacheRead,
      cache_write_tokens: FAKE_USAGE.cacheWrite,
    },
    completion_tokens_details: { reasoning_tokens: FAKE_USAGE.reasoning },
  };
  return [
    chunk({ role: 'assistant', content: '' }),
    ...cut(turn.reasoning ?? '').map((text) => chunk({ reasoning_content: text })),
    ...cut(turn.text ?? '').map((text) =>
      chunk(turn.stop === 'refusal' ? { refusal: text } : { content: text }),
    ),
    ...calls.flatMap(({ id, name, json }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...cut(json).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
    chunk({}, finish),
    data({ ...head, choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

function data(contents: JsonObject): string {
  return `data: ${JSON.stringify(contents)}\n\n`;
}
