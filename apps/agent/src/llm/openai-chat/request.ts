import type OpenAI from 'openai';
import { type Block, LlmError, type LlmRequest, type Message } from '../../ports/llm-provider.ts';
import type { ModelCard, ModelFeatures } from '../../ports/model-card.ts';
import { type Part, partsOf, resultParts } from '../content-parts.ts';
import { type Endpoint, nativeProviderOf } from '../endpoint.ts';
import { isContent, lossesIn } from '../message-losses.ts';
import { settingsFor } from '../model-settings.ts';
import { outputFormat } from '../output-schema.ts';
import { fitTools } from '../tool-schema.ts';
import { resultCallIds, wireCallId } from '../wire-call-id.ts';

type Params = OpenAI.ChatCompletionCreateParamsStreaming;
type ChatMessage = OpenAI.ChatCompletionMessageParam;
type ContentPart = OpenAI.ChatCompletionContentPart;

export interface BuiltRequest {
  readonly params: Params;
  readonly warnings: readonly string[];
  /** Stop sequences that the server cannot handle, applied to its answer here. */
  readonly cutAt: readonly string[];
}

interface Target {
  readonly callId: (id: string) => string;
  readonly takes: ModelFeatures;
  readonly nativeMessage: (message: Message) => ChatMessage | undefined;
}

/** Maximum number of stop sequences that the API accepts. */
const MAX_STOPS = 4;

/** Maximum length of a call id that the API accepts. */
const MAX_CALL_ID = 40;

/**
 * Builds the request body. Compatible servers get `max_tokens` and the role `system`; OpenAI's own
 * models require `max_completion_tokens`.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @throws LlmError `invalid` for tools with an OpenAI model that supports them only in the
 * Responses API
 */
export function buildRequest(
  request: LlmRequest,
  card: ModelCard,
  endpoint: Endpoint,
): BuiltRequest {
  const { tools, warnings: toolWarnings } = fitTools(request.tools, {
    descriptionCharacters: card.takes.descriptionCharacters,
  });
  if (endpoint.isVendor && card.reasons && tools.length > 0) {
    throw new LlmError(
      'invalid',
      `${endpoint.vendor} takes no tools for ${card.id} by the Chat Completions API. Set llm.wire to "responses".`,
    );
  }
  const isFirstTurn = request.messages.every(({ role }) => role === 'user');
  const warnings = [
    ...(isFirstTurn ? toolWarnings : []),
    ...lossesIn(request.messages, card.takes),
  ];
  const { settings, warnings: settingWarnings } = settingsFor(request, card);
  warnings.push(...settingWarnings);
  const messages = messagesOf(request, { card, endpoint });
  if (messages.at(-1)?.role === 'assistant' && !card.takes.prefill) {
    messages.push({ role: 'user', content: 'Continue.' });
    warnings.push('The conversation ended with a message of the model; "Continue." was added.');
  }
  const stops = (request.stopSequences ?? []).filter((sequence) => sequence !== '');
  const isStoppedThere = card.takes.stopSequences && stops.length <= MAX_STOPS;
  const params: Params = {
    model: card.id,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(endpoint.isVendor
      ? { max_completion_tokens: request.maxTokens, store: false }
      : { max_tokens: request.maxTokens }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(
            ({ name, description, inputSchema }) =>
              ({
                type: 'function',
                function: { name, description, parameters: inputSchema },
              }) as const,
          ),
        }),
    ...(tools.length === 0 || request.toolChoice === undefined
      ? {}
      : { tool_choice: request.toolChoice }),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.effort === undefined ? {} : { reasoning_effort: settings.effort }),
    ...(endpoint.isVendor ? responseFormatOf(request) : {}),
    ...(isStoppedThere && stops.length > 0 ? { stop: [...stops] } : {}),
    ...(endpoint.isVendor && request.cacheKey !== undefined
      ? { prompt_cache_key: request.cacheKey.slice(0, 64) }
      : {}),
  };
  return { params, warnings, cutAt: isStoppedThere ? [] : stops };
}

/**
 * Only OpenAI's own models get the field: compatible servers may reject it, or never call a tool
 * with it.
 */
function responseFormatOf({ outputSchema }: LlmRequest): Pick<Params, 'response_format'> {
  const format = outputSchema === undefined ? undefined : outputFormat(outputSchema);
  return format === undefined
    ? {}
    : {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: format.schema, strict: format.isStrict },
        },
      };
}

function messagesOf(
  { system, messages }: LlmRequest,
  { card, endpoint }: { readonly card: ModelCard; readonly endpoint: Endpoint },
): ChatMessage[] {
  const nativeMessage = ({ native }: Message): ChatMessage | undefined =>
    native?.provider === nativeProviderOf(endpoint) && native.model === card.id
      ? (native.items[0] as ChatMessage)
      : undefined; // stored by the translator
  const callId = resultCallIds(
    messages,
    (message) => nativeMessage(message) !== undefined,
    MAX_CALL_ID,
  );
  const sent = messages.flatMap((message) =>
    messageItems(message, { callId, takes: card.takes, nativeMessage }),
  );
  return withoutOldThinking(
    joined([
      ...(system === undefined || system.trim() === ''
        ? []
        : [{ role: 'system', content: system } as const]),
      ...sent,
    ]),
  );
}

/**
 * Keeps thinking with the calls that it led to; servers reject or ignore it after the next user
 * message.
 */
function withoutOldThinking(messages: readonly ChatMessage[]): ChatMessage[] {
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, at) => {
    if (message.role !== 'assistant' || at > lastQuestion) return message;
    const {
      reasoning_content: _,
      reasoning: __,
      ...rest
    } = message as typeof message & {
      readonly reasoning_content?: string;
      readonly reasoning?: string;
    };
    return rest;
  });
}

function messageItems(message: Message, target: Target): ChatMessage[] {
  if (message.role === 'user') return userMessages(message, target);
  const native = target.nativeMessage(message);
  if (native !== undefined) return [native];
  const text = message.content
    .flatMap((block) => (block.type === 'text' || block.type === 'refusal' ? [block.text] : []))
    .join('\n\n');
  const calls = message.content.flatMap((block) =>
    block.type === 'tool_use' ? [toolCall(block)] : [],
  );
  if (text.trim() === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      ...(text.trim() === '' ? {} : { content: text }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function toolCall({
  id,
  name,
  input,
}: Extract<Block, { type: 'tool_use' }>): OpenAI.ChatCompletionMessageFunctionToolCall {
  return {
    id: wireCallId(id, MAX_CALL_ID),
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  };
}

/** Puts media of results into user messages after the tool messages, which hold only text. */
function userMessages({ content }: Message, { callId, takes }: Target): ChatMessage[] {
  const media: ContentPart[] = [];
  const results = content.flatMap((block): ChatMessage[] => {
    if (block.type !== 'tool_result') return [];
    const parts = resultParts(block, takes);
    const others = parts.filter((part) => part.type !== 'text');
    if (others.length > 0)
      media.push(
        { type: 'text', text: `From the result of the tool call ${callId(block.toolUseId)}:` },
        ...others.map(contentPart),
      );
    const text = [
      ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
      ...others.map(({ type }) => `[${type}: in the next message]`),
    ].join('\n');
    return [
      {
        role: 'tool',
        tool_call_id: callId(block.toolUseId),
        content: block.isError === true ? `ERROR: ${text}` : text,
      },
    ];
  });
  const parts = [...media, ...partsOf(content.filter(isContent), takes).map(contentPart)];
  return parts.length === 0 ? results : [...results, { role: 'user', content: parts }];
}

function contentPart(part: Part): ContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    case 'pdf':
      return {
        type: 'file',
        file: { filename: part.filename, file_data: `data:application/pdf;base64,${part.data}` },
      };
  }
}

/**
 * Joins consecutive user messages and plain text, since the chat templates of some servers require
 * it.
 */
function joined(messages: readonly ChatMessage[]): ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === 'user' && message.role === 'user')
      merged[merged.length - 1] = {
        role: 'user',
        content: [...partsIn(last), ...partsIn(message)],
      };
    else merged.push(message);
  }
  return merged.map((message) =>
    message.role === 'user' ? { ...message, content: plain(partsIn(message)) } : message,
  );
}

function partsIn({ content }: OpenAI.ChatCompletionUserMessageParam): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function plain(parts: readonly ContentPart[]): string | ContentPart[] {
  return parts.every((part) => part.type === 'text')
    ? parts.map(({ text }) => text).join('\n\n')
    : [...parts];
}
