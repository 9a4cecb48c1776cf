import type Anthropic from '@anthropic-ai/sdk';
import type { Block, LlmRequest, Message } from '../../ports/llm-provider.ts';
import type { Effort } from '../../ports/model-settings.ts';
import type { ModelCard, ModelFeatures } from '../../ports/model-card.ts';
import { type Part, partsOf, resultParts } from '../content-parts.ts';
import { type Endpoint, nativeProviderOf } from '../endpoint.ts';
import { isContent, lossesIn } from '../message-losses.ts';
import { settingsFor } from '../model-settings.ts';
import { outputFormat } from '../output-schema.ts';
import { fitTools } from '../tool-schema.ts';
import { resultCallIds, wireCallId } from '../wire-call-id.ts';

type Params = Anthropic.MessageCreateParamsStreaming;
type Content = Anthropic.ContentBlockParam;
type PartContent =
  | Anthropic.TextBlockParam
  | Anthropic.ImageBlockParam
  | Anthropic.DocumentBlockParam;

export interface BuiltRequest {
  readonly params: Params;
  readonly warnings: readonly string[];
}

export interface BuildOptions {
  readonly card: ModelCard;
  readonly endpoint: Endpoint;
  /** Omits thinking, for a conversation whose thinking the API no longer accepts. */
  readonly withoutThinking?: boolean;
}

/** Argument names that the API accepts. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Builds the request body. @see https://platform.claude.com/docs/en/api/messages */
export function buildRequest(request: LlmRequest, options: BuildOptions): BuiltRequest {
  const { card } = options;
  const { tools, warnings: toolWarnings } = fitTools(request.tools, {
    propertyName: PROPERTY_NAME,
    descriptionCharacters: card.takes.descriptionCharacters,
  });
  const isFirstTurn = request.messages.every(({ role }) => role === 'user');
  const messages = messagesOf(request.messages, options);
  const warnings = [
    ...(isFirstTurn ? toolWarnings : []),
    ...lossesIn(request.messages, card.takes),
  ];
  const { settings, warnings: settingWarnings } = settingsFor(request, card);
  warnings.push(...settingWarnings);
  if (messages.at(-1)?.role === 'assistant') {
    messages.push({ role: 'user', content: [{ type: 'text', text: 'Continue.' }] });
    warnings.push('The conversation ended with a message of the model; "Continue." was added.');
  }
  const toolChoice = choiceOf(request, card);
  if (request.toolChoice === 'required' && toolChoice?.type === 'auto')
    warnings.push(
      `The model ${card.id} does not support a required tool call; the setting was left out.`,
    );
  const stopSequences = (request.stopSequences ?? []).filter((sequence) => sequence.trim() !== '');
  const params: Params = {
    model: card.id,
    max_tokens: request.maxTokens,
    messages,
    stream: true,
    cache_control: { type: 'ephemeral' },
    ...(request.system === undefined || request.system.trim() === ''
      ? {}
      : { system: request.system }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => ({
            name: tool.name,
            description: tool.description,
            input_schema: { ...tool.inputSchema, type: 'object' as const },
          })),
        }),
    ...(stopSequences.length === 0 ? {} : { stop_sequences: stopSequences }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...thinkingFor(request, { card, isForced: tools.length > 0 && toolChoice?.type === 'any' }),
    ...outputConfigOf(request, { effort: settings.effort, isVendor: options.endpoint.isVendor }),
  };
  // The SDK's types leave out the field, which compatible servers accept.
  if (settings.temperature !== undefined)
    Object.assign(params, { temperature: settings.temperature });
  return { params, warnings };
}

/** Only Anthropic's own models get a format: compatible servers may not support it. */
function outputConfigOf(
  { outputSchema }: LlmRequest,
  { effort, isVendor }: { readonly effort: Effort | undefined; readonly isVendor: boolean },
): Pick<Params, 'output_config'> {
  const format = isVendor && outputSchema !== undefined ? outputFormat(outputSchema) : undefined;
  const config = {
    ...(effort === undefined
      ? {}
      : { effort: effort as NonNullable<Anthropic.OutputConfig['effort']> }),
    ...(format === undefined
      ? {}
      : { format: { type: 'json_schema' as const, schema: format.schema } }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

/**
 * Disables thinking for sampling, whose few tokens it would use up, and for a forced tool call,
 * which the API refuses together with thinking.
 */
function thinkingFor(
  { purpose }: LlmRequest,
  { card, isForced }: { readonly card: ModelCard; readonly isForced: boolean },
): Pick<Params, 'thinking'> {
  return purpose === 'agent' && card.reasons && !isForced
    ? { thinking: { type: 'adaptive', display: 'summarized' } }
    : {};
}

function choiceOf(
  { toolChoice }: LlmRequest,
  { takes }: ModelCard,
): Anthropic.ToolChoice | undefined {
  if (toolChoice !== 'required') return toolChoice === undefined ? undefined : { type: toolChoice };
  return takes.requiredTools ? { type: 'any' } : { type: 'auto' };
}

/** Joins consecutive messages of one role, since the results of a turn must be in one message. */
function messagesOf(messages: readonly Message[], options: BuildOptions): Anthropic.MessageParam[] {
  const joined: { role: 'user' | 'assistant'; content: Content[] }[] = [];
  const callId = resultCallIds(
    messages,
    (message) => nativeContent(message, options) !== undefined,
  );
  for (const message of messages) {
    const content =
      nativeContent(message, options) ??
      (message.role === 'assistant'
        ? assistantContent(message)
        : userContent(message, { callId, takes: options.card.takes }));
    const last = joined.at(-1);
    if (last?.role === message.role) last.content.push(...content);
    else if (content.length > 0) joined.push({ role: message.role, content });
  }
  return joined;
}

function nativeContent(
  { native }: Message,
  { card, endpoint, withoutThinking = false }: BuildOptions,
): Content[] | undefined {
  if (native?.provider !== nativeProviderOf(endpoint) || native.model !== card.id) return undefined;
  const items = native.items as readonly Content[]; // stored from this provider's own output
  return items.filter(
    ({ type }) => !withoutThinking || (type !== 'thinking' && type !== 'redacted_thinking'),
  );
}

/** Thinking is returned in native items only. */
function assistantContent({ content }: Message): Content[] {
  return content.flatMap((block): Content[] => {
    if (block.type === 'tool_use')
      return [{ type: 'tool_use', id: wireCallId(block.id), name: block.name, input: block.input }];
    const text = block.type === 'refusal' || block.type === 'text' ? block.text : '';
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  });
}

/** Puts results first, as the API requires. */
function userContent(
  { content }: Message,
  target: { readonly callId: (id: string) => string; readonly takes: ModelFeatures },
): Content[] {
  const results = content.flatMap((block) =>
    block.type === 'tool_result' ? [resultContent(block, target)] : [],
  );
  return [...results, ...partsOf(content.filter(isContent), target.takes).map(partContent)];
}

function resultContent(
  result: Extract<Block, { type: 'tool_result' }>,
  { callId, takes }: { readonly callId: (id: string) => string; readonly takes: ModelFeatures },
): Anthropic.ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: callId(result.toolUseId),
    content: resultParts(result, takes).map(partContent),
    ...(result.isError === true ? { is_error: true } : {}),
  };
}

/** The API has no audio input, so no model here accepts audio. */
function partContent(part: Part): PartContent {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return {
        type: 'image',
        source: { type: 'base64', media_type: part.mimeType, data: part.data },
      };
    case 'audio':
      return { type: 'text', text: '[audio: left out, this API cannot carry it]' };
    case 'pdf':
      return {
        type: 'document',
        title: part.filename,
        source: { type: 'base64', media_type: 'application/pdf', data: part.data },
      };
  }
}
