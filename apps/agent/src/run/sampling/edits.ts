import {
  canonicalJson,
  type CreateMessageParams,
  type JsonObject,
  type SamplingMessage,
} from '@signalbox/mcp-core';
import { isPlainObject } from '../../json/plain-object.ts';
import { fieldProblem, type FieldProblem } from '../input/field-problem.ts';

/** Longest text that a person may put into a request, in characters of all messages together. */
const MAX_CHARACTERS = 200_000;

/** Longest message that a person may give in place of the model's, in characters. */
const MAX_REPLY_CHARACTERS = 100_000;

/**
 * Lists the problems of a person's edit of `system_prompt`, `messages` and `max_tokens`. The edit
 * may change text, leave out messages and lower the tokens. It may add only text.
 */
export function samplingEditProblems(
  asked: JsonObject,
  { system_prompt: system, messages, max_tokens: maxTokens, ...others }: JsonObject,
): readonly FieldProblem[] {
  const limit = Number(asked['max_tokens']);
  const length = JSON.stringify([system, messages]).length;
  return [
    ...Object.keys(others).map((name) =>
      fieldProblem(
        ['content', name],
        'cannot be changed; system_prompt, messages and max_tokens can',
      ),
    ),
    ...(system === undefined || typeof system === 'string'
      ? []
      : [fieldProblem(['content', 'system_prompt'], 'must be a string')]),
    ...(maxTokens === undefined || isTokenCount(maxTokens, limit)
      ? []
      : [fieldProblem(['content', 'max_tokens'], `must be a whole number from 1 to ${limit}`)]),
    ...(messages === undefined ? [] : messagesProblems(asked['messages'], messages)),
    ...(length <= MAX_CHARACTERS
      ? []
      : [fieldProblem(['content'], `must not be longer than ${MAX_CHARACTERS} characters`)]),
  ];
}

/** Applies an edit that `samplingEditProblems` accepted. */
export function applySamplingEdit(
  params: CreateMessageParams,
  content: JsonObject | undefined,
): CreateMessageParams {
  const { system_prompt: systemPrompt, messages, max_tokens: maxTokens } = content ?? {};
  return {
    ...params,
    ...(typeof systemPrompt === 'string' ? { systemPrompt } : {}),
    ...(typeof maxTokens === 'number' ? { maxTokens } : {}),
    // The shape was checked when the response was stored.
    ...(messages === undefined ? {} : { messages: messages as readonly SamplingMessage[] }),
  };
}

/** Lists the problems of a text that a person gives in place of the model's message. */
export function replyEditProblems({ text, ...others }: JsonObject): readonly FieldProblem[] {
  return [
    ...Object.keys(others).map((name) =>
      fieldProblem(['content', name], 'cannot be changed; text can'),
    ),
    ...(typeof text === 'string' ? [] : [fieldProblem(['content', 'text'], 'must be a string')]),
    ...(typeof text === 'string' && text.length > MAX_REPLY_CHARACTERS
      ? [
          fieldProblem(
            ['content', 'text'],
            `must not be longer than ${MAX_REPLY_CHARACTERS} characters`,
          ),
        ]
      : []),
  ];
}

function isTokenCount(value: unknown, limit: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= limit;
}

function messagesProblems(asked: unknown, messages: unknown): readonly FieldProblem[] {
  if (!Array.isArray(messages) || messages.length === 0)
    return [fieldProblem(['content', 'messages'], 'must be a list of at least one message')];
  const known = new Set(blocksOfAll(asked).map((block) => canonicalJson(block)));
  return messages.flatMap((message: unknown, index) => {
    const path = ['content', 'messages', String(index)];
    if (!isPlainObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant'))
      return [fieldProblem(path, 'must be an object with the role user or assistant, and content')];
    const blocks = blocksOf(message['content']);
    const isUsable =
      blocks.length > 0 &&
      blocks.every((block) => isText(block) || known.has(canonicalJson(block)));
    return isUsable
      ? []
      : [fieldProblem([...path, 'content'], 'must be text, or a part of the request as it was')];
  });
}

function blocksOfAll(messages: unknown): readonly unknown[] {
  return Array.isArray(messages)
    ? messages.flatMap((message: unknown) =>
        isPlainObject(message) ? blocksOf(message['content']) : [],
      )
    : [];
}

function blocksOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? (content as readonly unknown[]) : [content];
}

function isText(block: unknown): boolean {
  return isPlainObject(block) && block['type'] === 'text' && typeof block['text'] === 'string';
}
