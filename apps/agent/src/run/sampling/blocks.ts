import {
  ErrorCode,
  ProtocolError,
  type CreateMessageParams,
  type CreateMessageResult,
  type JsonObject,
  type SamplingContent,
  type SamplingMessage,
} from '@signalbox/mcp-core';
import { estimateTokens } from '../../usage/estimate-tokens.ts';
import { exceededLimit, MAX_JSON_DEPTH } from '../../json/json-limits.ts';
import { isPlainObject } from '../../json/plain-object.ts';
import type { Block, Message } from '../../ports/llm-provider.ts';
import type { ModelNeeds } from './choose-model.ts';
import type { SamplingTools } from './tool-names.ts';

/** Largest sampling request, as JSON with images and audio in base64, in bytes. */
const MAX_REQUEST_BYTES = 2 * 1024 * 1024;
const MAX_MESSAGES = 1000;
const MAX_TOOLS = 128;

/** Checks a sampling request. @throws ProtocolError -32602 when no model could serve it */
export function checkSamplingRequest(params: CreateMessageParams): void {
  const exceeded = exceededLimit(params, { maxDepth: MAX_JSON_DEPTH, maxBytes: MAX_REQUEST_BYTES });
  if (exceeded === 'bytes') throw invalid(`the request has more than ${MAX_REQUEST_BYTES} bytes`);
  if (exceeded === 'depth')
    throw invalid(`the request is nested more than ${MAX_JSON_DEPTH} levels deep`);
  if (params.messages.length > MAX_MESSAGES)
    throw invalid(`messages may be at most ${MAX_MESSAGES}`);
  if (params.tools !== undefined && params.tools.length > MAX_TOOLS)
    throw invalid(`tools may be at most ${MAX_TOOLS}`);
  checkSamplingFields(params);
}

function checkSamplingFields({
  messages,
  maxTokens,
  temperature,
  stopSequences,
  tools,
  toolChoice,
}: CreateMessageParams): void {
  if (messages.length === 0) throw invalid('messages must not be empty');
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    throw invalid('maxTokens must be a positive integer');
  if (temperature !== undefined && !Number.isFinite(temperature))
    throw invalid('temperature must be a number');
  if (
    stopSequences !== undefined &&
    !(
      Array.isArray(stopSequences) &&
      stopSequences.every((sequence) => typeof sequence === 'string')
    )
  )
    throw invalid('stopSequences must be strings');
  if (tools !== undefined && !isToolList(tools))
    throw invalid('tools must have different names, and an inputSchema that is an object');
  if (toolChoice?.mode !== undefined && !['auto', 'required', 'none'].includes(toolChoice.mode))
    throw invalid('toolChoice.mode must be auto, required or none');
  if (toolChoice?.mode === 'required' && (tools ?? []).length === 0)
    throw invalid('toolChoice.mode is required, and there are no tools');
  for (const [at, { role, content }] of messages.entries()) {
    for (const block of samplingBlocks(content))
      if (!isUsable(block, role))
        throw invalid(
          `messages.${at}: content of type ${block.type} is not complete, or not allowed for the role ${role}`,
        );
  }
}

export function samplingBlocks(content: SamplingMessage['content']): readonly SamplingContent[] {
  return 'type' in content ? [content] : content;
}

export function toMessage({ role, content }: SamplingMessage, tools: SamplingTools): Message {
  return {
    role,
    content: samplingBlocks(content).map((block): Block =>
      block.type === 'tool_use'
        ? { type: 'tool_use', id: block.id, name: tools.toWire(block.name), input: block.input }
        : block,
    ),
  };
}

/**
 * Converts a model message for the server: text and calls of the request's tools. Without tools it
 * is one block, as servers without tool support expect. Reasoning is left out.
 */
export function toSamplingContent(
  content: readonly Block[],
  tools: SamplingTools,
): CreateMessageResult['content'] {
  const blocks = content.flatMap((block): SamplingContent[] => {
    if (block.type === 'tool_use')
      return block.invalid === undefined
        ? [{ type: 'tool_use', id: block.id, name: tools.fromWire(block.name), input: block.input }]
        : [];
    const text = block.type === 'text' || block.type === 'refusal' ? block.text : '';
    return text === '' ? [] : [{ type: 'text', text }];
  });
  if (tools.specs.length > 0 && blocks.length > 0) return blocks;
  return {
    type: 'text',
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
  };
}

/**
 * Returns the capabilities that a model needs to serve the request; `contextTokens` is an estimate.
 */
export function samplingNeeds({
  messages,
  tools = [],
  systemPrompt = '',
  maxTokens,
}: CreateMessageParams): ModelNeeds {
  const types = messages.flatMap(({ content }) =>
    samplingBlocks(content).flatMap((block) =>
      block.type === 'tool_result' ? block.content.map(({ type }) => type) : [block.type],
    ),
  );
  return {
    tools: tools.length > 0,
    images: types.includes('image'),
    audio: types.includes('audio'),
    contextTokens: estimateTokens([systemPrompt, tools, messages]) + maxTokens,
  };
}

function isToolList(tools: unknown): boolean {
  if (!Array.isArray(tools)) return false;
  const names = tools.map((tool: unknown) =>
    isPlainObject(tool) && isPlainObject(tool['inputSchema']) ? tool['name'] : undefined,
  );
  return (
    names.every((name) => typeof name === 'string' && name !== '') &&
    new Set(names).size === names.length
  );
}

/**
 * Whether a content block has the fields that its type requires, which only the type of the wire
 * message promises.
 */
function isUsable(block: SamplingContent, role: SamplingMessage['role']): boolean {
  const fields = block as unknown as JsonObject; // as it came over the wire
  switch (block.type) {
    case 'text':
      return typeof fields['text'] === 'string';
    case 'image':
    case 'audio':
      return typeof fields['data'] === 'string' && typeof fields['mimeType'] === 'string';
    case 'tool_use':
      return (
        role === 'assistant' &&
        typeof fields['id'] === 'string' &&
        typeof fields['name'] === 'string' &&
        isPlainObject(fields['input'])
      );
    case 'tool_result':
      return (
        role === 'user' &&
        typeof fields['toolUseId'] === 'string' &&
        Array.isArray(fields['content'])
      );
    default:
      return false;
  }
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, message);
}
