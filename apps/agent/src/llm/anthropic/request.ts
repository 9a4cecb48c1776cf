import type Anthropic from '@anthropic-ai/sdk';
import type { Block, LlmRequest, Message } from '../../ports/llm-provider.ts';
import { type Part, partsOf, resultParts } from '../content-parts.ts';
import { type Endpoint, nativeProviderOf } from '../endpoint.ts';
import { isContent, lossesIn } from '../message-losses.ts';
import { fitTools } from '../tool-schema.ts';
import { resultCallIds, wireCallId } from '../wire-call-id.ts';

type Params = Anthropic.MessageCreateParamsStreaming;
type Content = Anthropic.ContentBlockParam;
type PartContent = Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam;

export interface BuiltRequest {
  readonly params: Params;
  readonly warnings: readonly string[];
}

export interface BuildOptions {
  readonly model: string;
  readonly endpoint: Endpoint;
  /** Replays no thinking: for a conversation whose thinking the API no longer accepts. */
  readonly withoutThinking?: boolean;
}

/** @see https://platform.claude.com/docs/en/api/messages */
export function buildRequest(request: LlmRequest, options: BuildOptions): BuiltRequest {
  const { tools, warnings: toolWarnings } = fitTools(request.tools);
  const isFirstTurn = request.messages.every(({ role }) => role === 'user');
  const messages = messagesOf(request.messages, options);
  const warnings = [...(isFirstTurn ? toolWarnings : []), ...lossesIn(request.messages)];
  if (request.temperature !== undefined) warnings.push('This API takes no temperature; it was left out.');
  if (messages.at(-1)?.role === 'assistant') {
    messages.push({ role: 'user', content: [{ type: 'text', text: 'Continue.' }] });
    warnings.push('The conversation ended with the model\'s own words; "Continue." was added.');
  }
  const stopSequences = (request.stopSequences ?? []).filter((sequence) => sequence.trim() !== '');
  const params: Params = {
    model: options.model,
    max_tokens: request.maxTokens,
    messages,
    stream: true,
    cache_control: { type: 'ephemeral' },
    ...(request.system === undefined || request.system.trim() === '' ? {} : { system: request.system }),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ name: tool.name, description: tool.description, input_schema: { ...tool.inputSchema, type: 'object' as const } })) }),
    ...(stopSequences.length === 0 ? {} : { stop_sequences: stopSequences }),
    ...thinkingFor(request, options.model),
  };
  return { params, warnings };
}

/** Adaptive thinking exists from 4.6 on. Sampling asks for few tokens, which thinking would use up, so there it is not asked for. */
function thinkingFor({ purpose }: LlmRequest, model: string): Pick<Params, 'thinking'> {
  const [, major, minor] = /^claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(model) ?? [];
  const version = Number(major ?? 0) + Number(minor ?? 0) / 100;
  return purpose === 'agent' && version >= 4.06 ? { thinking: { type: 'adaptive', display: 'summarized' } } : {};
}

/** Neighbours of one role are joined: the results of a turn must stand in one message. */
function messagesOf(messages: readonly Message[], options: BuildOptions): Anthropic.MessageParam[] {
  const joined: { role: 'user' | 'assistant'; content: Content[] }[] = [];
  const callId = resultCallIds(messages, (message) => nativeContent(message, options) !== undefined);
  for (const message of messages) {
    const content = nativeContent(message, options) ?? (message.role === 'assistant' ? assistantContent(message) : userContent(message, callId));
    const last = joined.at(-1);
    if (last?.role === message.role) last.content.push(...content);
    else if (content.length > 0) joined.push({ role: message.role, content });
  }
  return joined;
}

function nativeContent({ native }: Message, { model, endpoint, withoutThinking = false }: BuildOptions): Content[] | undefined {
  if (native?.provider !== nativeProviderOf(endpoint) || native.model !== model) return undefined;
  const items = native.items as readonly Content[]; // stored from this provider's own output
  return items.filter(({ type }) => !withoutThinking || (type !== 'thinking' && type !== 'redacted_thinking'));
}

/** Thinking goes back in native items only. */
function assistantContent({ content }: Message): Content[] {
  return content.flatMap((block): Content[] => {
    if (block.type === 'tool_use') return [{ type: 'tool_use', id: wireCallId(block.id), name: block.name, input: block.input }];
    const text = block.type === 'refusal' || block.type === 'text' ? block.text : '';
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  });
}

/** Results come first, as the API demands. */
function userContent({ content }: Message, callId: (id: string) => string): Content[] {
  const results = content.flatMap((block) => (block.type === 'tool_result' ? [resultContent(block, callId)] : []));
  return [...results, ...partsOf(content.filter(isContent)).map(partContent)];
}

function resultContent(result: Extract<Block, { type: 'tool_result' }>, callId: (id: string) => string): Anthropic.ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: callId(result.toolUseId), content: resultParts(result).map(partContent), ...(result.isError === true ? { is_error: true } : {}) };
}

function partContent(part: Part): PartContent {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } };
    case 'pdf':
      return { type: 'document', title: part.filename, source: { type: 'base64', media_type: 'application/pdf', data: part.data } };
  }
}
