import type { JsonObject } from '@signalbox/mcp-core';
import { imageProblem, toolProblem } from './fake-checks.ts';
import { FAKE_USAGE, type FakeTurn, type FakeWire, sse } from './fake-wire.ts';

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly id?: string;
  readonly call_id?: string;
  readonly arguments?: string;
  readonly output?: string | readonly Part[];
  readonly content?: string | readonly Part[];
  readonly encrypted_content?: string;
}

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: string;
}

interface Request {
  readonly model: string;
  readonly input: readonly Item[];
  readonly tools?: readonly {
    readonly type: string;
    readonly name: string;
    readonly parameters: JsonObject;
    readonly strict?: boolean;
  }[];
  readonly max_output_tokens: number;
  readonly temperature?: number;
  readonly reasoning?: { readonly effort?: string };
  readonly stream: boolean;
  readonly store?: boolean;
  readonly tool_choice?: string;
}

/** A fake Responses API that refuses what the real API refuses. */
export const fakeOpenAi: FakeWire = {
  path: '/v1/responses',
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
  streamError: (code, message) => sse('error', { error: { type: code, code, message } }),
};

function requestProblem(request: Request): string | undefined {
  if (!request.stream || request.store !== false)
    return 'this fake wants stream: true and store: false';
  if (request.max_output_tokens < 16)
    return "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.";
  if (request.temperature !== undefined && /^(gpt-[5-9]|o\d)/.test(request.model))
    return "Unsupported parameter: 'temperature' is not supported with this model.";
  if (request.reasoning?.effort !== undefined && !/^(gpt-[5-9]|o\d)/.test(request.model))
    return "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
  if ((request.temperature ?? 0) > 2) return "Invalid 'temperature': expected a value <= 2.";
  if (request.tool_choice !== undefined && request.tools === undefined)
    return "Tool choice 'required' must be specified with 'tools' parameter.";
  if ((request.tools ?? []).some(({ strict }) => strict !== false))
    return 'this fake wants strict: false';
  return (
    toolProblem(
      (request.tools ?? []).map(({ name, parameters }) => ({ name, schema: parameters })),
    ) ?? inputProblem(request.input)
  );
}

function inputProblem(input: readonly Item[]): string | undefined {
  const open = new Set<string>();
  let lastReasoning: string | undefined;
  for (const item of input) {
    const { type = 'message', id, call_id: callId = '' } = item;
    if (callId.length > 64)
      return "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64.";
    if (type === 'reasoning') {
      if (item.encrypted_content === undefined)
        return `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
      lastReasoning = id;
    }
    if (type === 'function_call') {
      if (id?.endsWith('_reasoned') === true && lastReasoning === undefined)
        return `Item '${id}' of type 'function_call' was provided without its required 'reasoning' item.`;
      JSON.parse(item.arguments ?? 'null');
      open.add(callId);
    }
    if (type === 'function_call_output' && !open.delete(callId))
      return `No tool call found for function call output with call_id ${callId}.`;
    const problem = partsProblem(item.output) ?? partsProblem(item.content);
    if (problem !== undefined) return problem;
  }
  const [unanswered] = open;
  return unanswered === undefined
    ? undefined
    : `No tool output found for function call ${unanswered}.`;
}

function partsProblem(parts: string | readonly Part[] | undefined): string | undefined {
  if (parts === undefined) return undefined;
  if (typeof parts === 'string') return parts.trim() === '' ? 'blank text' : undefined;
  for (const part of parts) {
    if (part.type === 'input_text' && part.text?.trim() === '') return 'blank text';
    const [, mimeType, base64] = /^data:([^;]+);base64,(.*)$/.exec(part.image_url ?? '') ?? [];
    if (part.type === 'input_image')
      return mimeType === undefined || base64 === undefined
        ? 'image_url'
        : imageProblem(mimeType, base64);
  }
  return undefined;
}

function encode(turn: FakeTurn, request: Request): string[] {
  const reasoned = turn.reasoning === undefined ? '' : '_reasoned';
  const items: { item: JsonObject; deltas: [string, JsonObject][] }[] = [];
  const response = {
    id: 'resp_1',
    object: 'response',
    model: `${request.model}-2026-01-01`,
    output: [] as JsonObject[],
    status: 'in_progress',
  };
  const cut = (text: string): string[] => text.match(/.{1,3}/gsu) ?? [];
  if (turn.reasoning !== undefined) {
    items.push({
      item: {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: turn.reasoning }],
        ...(turn.unsealed === true ? {} : { encrypted_content: 'sealed' }),
      },
      deltas: cut(turn.reasoning).map((delta) => [
        'response.reasoning_summary_text.delta',
        { delta, summary_index: 0 },
      ]),
    });
  }
  if (turn.text !== undefined) {
    const [event, type, field] =
      turn.stop === 'refusal'
        ? (['response.refusal.delta', 'refusal', 'refusal'] as const)
        : (['response.output_text.delta', 'output_text', 'text'] as const);
    items.push({
      item: {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type, [field]: turn.text, annotations: [] }],
      },
      deltas: cut(turn.text).map((delta) => [event, { delta, content_index: 0 }]),
    });
  }
  for (const { id, name, json } of turn.calls ?? []) {
    items.push({
      item: {
        type: 'function_call',
        id: `fc_${id}${reasoned}`,
        call_id: id,
        name,
        arguments: json,
        status: 'completed',
      },
      deltas: cut(json).map((delta) => ['response.function_call_arguments.delta', { delta }]),
    });
  }
  const events = [
    sse('response.created', { response }),
    sse('response.in_progress', { response }),
    sse('response.some_new_event', { anything: true }),
  ];
  for (const [index, { item, deltas }] of items.entries()) {
    events.push(
      sse('response.output_item.added', {
        output_index: index,
        item: {
          ...item,
          ...(item['type'] === 'function_call' ? { arguments: '' } : { content: [], summary: [] }),
        },
      }),
    );
    events.push(
      ...deltas.map(([event, contents]) =>
        sse(event, { ...contents, output_index: index, item_id: item['id'] }),
      ),
    );
    events.push(sse('response.output_item.done', { output_index: index, item }));
  }
  const usage = {
    input_tokens: FAKE_USAGE.uncached + FAKE_USAGE.cacheRead + FAKE_USAGE.cacheWrite,
    input_tokens_details: {
      cached_tokens: FAKE_USAGE.cacheRead,
      cache_write_tokens: FAKE_USAGE.cacheWrite,
    },
    output_tokens: FAKE_USAGE.output,
    output_tokens_details: { reasoning_tokens: FAKE_USAGE.reasoning },
  };
  const output = items.map(({ item }) => item);
  if (turn.stop === 'max_tokens')
    events.push(
      sse('response.incomplete', {
        response: {
          ...response,
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          output,
          usage,
        },
      }),
    );
  else
    events.push(
      sse('response.completed', { response: { ...response, status: 'completed', output, usage } }),
    );
  return events;
}
