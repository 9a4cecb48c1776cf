import type { JsonObject } from '@signalbox/mcp-core';
import { createHash } from 'node:crypto';
import { imageProblem, toolProblem } from './fake-checks.ts';
import { FAKE_USAGE, type FakeTurn, type FakeWire, sse } from './fake-wire.ts';

interface Content {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly signature?: string;
  readonly content?: readonly Content[];
  readonly source?: { readonly media_type: string; readonly data: string };
}

interface Request {
  readonly model: string;
  readonly max_tokens?: number;
  readonly system?: string;
  readonly messages: readonly { readonly role: string; readonly content: readonly Content[] }[];
  readonly tools?: readonly { readonly name: string; readonly input_schema: JsonObject }[];
  readonly stream: boolean;
  readonly temperature?: number;
  readonly output_config?: { readonly effort?: string };
  readonly thinking?: { readonly type: string };
  readonly tool_choice?: { readonly type: string };
}

/**
 * A fake Messages API that refuses what the real API refuses, including thinking in a changed
 * conversation.
 */
export const fakeAnthropic: FakeWire = {
  path: '/v1/messages',
  check: (body, headers) =>
    requestProblem(body as unknown as Request, headers['anthropic-version']), // checked by what follows
  error: (type, message) => ({ type: 'error', error: { type, message }, request_id: 'req_1' }),
  encode: (turn, body) => encode(turn, body as unknown as Request), // checked before
  streamError: (code, message) => sse('error', { error: { type: code, message } }),
};

function requestProblem(request: Request, version: unknown): string | undefined {
  if (!request.stream) return 'this fake wants stream: true';
  if (typeof request.max_tokens !== 'number' || request.max_tokens < 1)
    return 'max_tokens: Field required';
  if (request.temperature !== undefined && version === '2026-10-21' && isVendorModel(request))
    return 'temperature: Extra inputs are not permitted';
  if (typeof version !== 'string') return 'anthropic-version: header is required';
  const effort = request.output_config?.effort;
  if (effort !== undefined && !['low', 'medium', 'high', 'xhigh', 'max'].includes(effort))
    return 'output_config.effort: Input should be low, medium, high, xhigh or max';
  const choice = request.tool_choice?.type;
  if (choice !== undefined && request.tools === undefined)
    return 'tool_choice may only be specified while providing tools.';
  if (choice === 'any' && request.thinking !== undefined)
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  if (choice === 'any' && request.model.endsWith('-5-5'))
    return 'tool_choice: this model does not support forced tool use.';
  const tools = (request.tools ?? []).map(({ name, input_schema: schema }) => ({ name, schema }));
  return (
    toolProblem(tools, { propertyName: /^[a-zA-Z0-9_.-]{1,64}$/ }) ??
    messagesProblem(request) ??
    thinkingProblem(request)
  );
}

/** Other models are those of a compatible server. */
function isVendorModel({ model }: Request): boolean {
  return model.startsWith('claude-');
}

function messagesProblem({ messages }: Request): string | undefined {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role !== 'user')
    return 'This model does not support assistant message prefill. The conversation must end with a user message.';
  let open = new Set<string>();
  for (const [at, { content }] of messages.entries()) {
    const results = content.filter(({ type }) => type === 'tool_result');
    if (content.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      return `messages.${at}: tool_result blocks must come first`;
    for (const { tool_use_id: id = '' } of results)
      if (!open.delete(id))
        return `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}`;
    if (open.size > 0)
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...open].join(', ')}`;
    const problem = contentProblem(content);
    if (problem !== undefined) return `messages.${at}: ${problem}`;
    open = new Set(
      content.flatMap(({ type, id }) => (type === 'tool_use' && id !== undefined ? [id] : [])),
    );
  }
  return undefined;
}

function contentProblem(content: readonly Content[]): string | undefined {
  if (content.length === 0) return 'content must not be empty';
  for (const block of content) {
    if (block.type === 'text' && block.text?.trim() === '')
      return 'text content blocks must contain non-whitespace text';
    if (block.type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(block.id ?? ''))
      return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
    const nested = block.content === undefined ? undefined : contentProblem(block.content);
    const image =
      block.type === 'image' && block.source !== undefined
        ? imageProblem(block.source.media_type, block.source.data)
        : undefined;
    if (nested !== undefined || image !== undefined) return nested ?? image;
  }
  return undefined;
}

function thinkingProblem(request: Request): string | undefined {
  for (const [at, { content }] of request.messages.entries()) {
    for (const { type, signature } of content) {
      if (type === 'thinking' && signature !== seal(request, at))
        return `messages.${at}.content.0: This thinking block is bound to a different conversation.`;
    }
  }
  return undefined;
}

/** Binds thinking to all earlier content. */
function seal({ system, tools, messages }: Request, before: number): string {
  return createHash('sha256')
    .update(JSON.stringify([system, tools, messages.slice(0, before)]))
    .digest('hex');
}

function encode(turn: FakeTurn, request: Request): string[] {
  const cut = (text: string): string[] => text.match(/.{1,3}/gsu) ?? [];
  const blocks: { start: JsonObject; deltas: JsonObject[] }[] = [];
  if (turn.reasoning !== undefined) {
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...cut(turn.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
        ...(turn.unsealed === true
          ? []
          : [{ type: 'signature_delta', signature: seal(request, request.messages.length) }]),
      ],
    });
  }
  if (turn.text !== undefined && turn.stop !== 'refusal')
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: cut(turn.text).map((text) => ({ type: 'text_delta', text })),
    });
  for (const { id, name, json } of turn.calls ?? []) {
    blocks.push({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: cut(json).map((part) => ({ type: 'input_json_delta', partial_json: part })),
    });
  }
  const usage = {
    input_tokens: FAKE_USAGE.uncached,
    cache_read_input_tokens: FAKE_USAGE.cacheRead,
    cache_creation_input_tokens: FAKE_USAGE.cacheWrite,
    output_tokens: 1,
  };
  const reason = turn.stop ?? ((turn.calls ?? []).length > 0 ? 'tool_use' : 'end_turn');
  const details =
    turn.stop === 'refusal'
      ? { type: 'refusal', category: null, explanation: turn.text ?? null }
      : null;
  return [
    sse('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: `${request.model}-20260101`,
        content: [],
        stop_reason: null,
        usage,
      },
    }),
    'event: ping\ndata: {"type":"ping"}\n\n',
    ...blocks.flatMap(({ start, deltas }, index) => [
      sse('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => sse('content_block_delta', { index, delta })),
      sse('content_block_stop', { index }),
    ]),
    sse('message_delta', {
      delta: { stop_reason: reason, stop_sequence: null, stop_details: details },
      usage: {
        output_tokens: FAKE_USAGE.output,
        input_tokens: null,
        output_tokens_details: { thinking_tokens: FAKE_USAGE.reasoning },
      },
    }),
    sse('message_stop', {}),
  ];
}
