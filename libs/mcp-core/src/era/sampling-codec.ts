import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  SamplingContent,
  SamplingMessage,
} from '../protocol/client-features.ts';
import { ErrorCode, LocalError, ProtocolError } from '../protocol/errors.ts';
import type { Revision } from './revision.ts';

/**
 * Encodes the params of a sampling request, with one block per message for revisions without
 * arrays. Returns `undefined` when such a revision would need tools.
 */
export function encodeSamplingParams(
  params: CreateMessageParams,
  revision: Revision,
): JsonObject | undefined {
  if (revision.hasSamplingBlocks) return { ...params };
  if (params.tools !== undefined || params.toolChoice !== undefined) return undefined;
  const messages = params.messages.flatMap(({ role, content }) =>
    toBlocks(content).map((block) => ({ role, content: block })),
  );
  if (messages.some(({ content }) => !isPlainBlock(content, revision))) return undefined;
  return { ...params, messages };
}

/** @throws LocalError `invalid-response` */
export function decodeSamplingResult(result: JsonObject): CreateMessageResult {
  if (!isRole(result.role) || !isContent(result.content) || typeof result.model !== 'string') {
    throw new LocalError(
      'invalid-response',
      'The response to sampling/createMessage must have role, content and model',
      { sent: true },
    );
  }
  return result as unknown as CreateMessageResult;
}

/** @throws ProtocolError -32602 */
export function decodeSamplingParams(params: JsonObject | undefined): CreateMessageParams {
  const isValid =
    Array.isArray(params?.messages) &&
    params.messages.every(isMessage) &&
    typeof params.maxTokens === 'number';
  if (!isValid)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      'Invalid params: sampling/createMessage needs messages and maxTokens',
    );
  return params as unknown as CreateMessageParams;
}

/**
 * Encodes a sampling result. Old revisions take one block: joined texts, otherwise the first block
 * that the revision has.
 */
export function encodeSamplingResult(answer: CreateMessageResult, revision: Revision): JsonObject {
  if (revision.hasSamplingBlocks) return { ...answer };
  const blocks = toBlocks(answer.content).filter((block) => isPlainBlock(block, revision));
  const [first, ...others] = blocks;
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const isSingle = first !== undefined && (others.length === 0 || texts.length === 0);
  const content = isSingle ? first : { type: 'text', text: texts.join('\n') };
  return { ...answer, content };
}

function toBlocks(content: SamplingMessage['content']): readonly SamplingContent[] {
  return Array.isArray(content)
    ? (content as readonly SamplingContent[])
    : [content as SamplingContent];
}

function isPlainBlock(block: SamplingContent, revision: Revision): boolean {
  return (
    block.type === 'text' || block.type === 'image' || (block.type === 'audio' && revision.hasAudio)
  );
}

function isMessage(value: unknown): boolean {
  return isJsonObject(value) && isRole(value.role) && isContent(value.content);
}

function isRole(value: unknown): boolean {
  return value === 'user' || value === 'assistant';
}

function isContent(value: unknown): boolean {
  return (Array.isArray(value) ? value : [value]).every(
    (block) => isJsonObject(block) && typeof block.type === 'string',
  );
}
