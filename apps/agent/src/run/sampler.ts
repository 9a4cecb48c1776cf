import { ErrorCode, ProtocolError, type ContentBlock, type CreateMessageParams, type CreateMessageResult, type JsonObject, type SamplingContent } from '@signalbox/mcp-core';
import { LlmError, type LlmRequest, type Message } from '../ports/llm-provider.ts';
import { digestOf } from './approval-binding.ts';
import type { Asker } from './ask.ts';
import { charge } from './charge.ts';
import type { EngineContext, ServerPolicy } from './engine-context.ts';
import { messageText } from './message-text.ts';
import type { Finish } from './stream-message.ts';

/** The longest message a server may have written, in tokens. */
const MAX_TOKENS = 8192;

const DECISIONS = { auto: 'allowed', ask: 'asked', deny: 'denied' } as const;

/**
 * Serves the sampling requests of a server during one call with the model of the run; their cost is charged to the run. Text and images, no tools.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 */
export class Sampler {
  readonly #context: EngineContext;
  readonly #asker: Asker;
  #isSpent = false;

  constructor(context: EngineContext, asker: Asker) {
    this.#context = context;
    this.#asker = asker;
  }

  /** @throws ProtocolError when the request cannot be served, whatever the policy */
  check(params: CreateMessageParams): void {
    if (params.messages.length === 0) throw invalid('messages must not be empty');
    if (!Number.isInteger(params.maxTokens) || params.maxTokens < 1) throw invalid('maxTokens must be a positive integer');
    if (params.tools !== undefined || params.toolChoice !== undefined) throw invalid('tools are not offered here: the client did not declare sampling.tools');
    for (const { content } of params.messages) for (const block of blocksOf(content)) toBlock(block);
  }

  /** Counts the request and what the configuration says of it. @throws ProtocolError when the server asked as often in this run as the run may ask the model itself */
  async count(policy: ServerPolicy['sampling']): Promise<void> {
    const { id: callId, runId, server, tool, arguments: args } = this.#asker.call;
    const { turns } = this.#asker.run.limits;
    // A server that goes on asking costs nothing more.
    const requests = this.#isSpent ? Infinity : await this.#context.commit(runId, async ({ sql }) => {
      const count = await sql.countSampling(runId, server);
      const entry = { who: 'policy', runId, callId, itemId: undefined, kind: 'sampling_approval', server, tool, argumentsSha256: digestOf(args), decision: DECISIONS[policy], outcome: undefined } as const;
      if (count <= turns) await sql.appendAudit([entry]);
      return count;
    });
    this.#isSpent = requests > turns;
    if (this.#isSpent) throw new ProtocolError(ErrorCode.rejectedByUser, `This server used all of its ${turns} sampling requests in this run.`);
  }

  /** What a person sees who is asked whether the request may be served. */
  requestOf({ messages, systemPrompt, maxTokens, modelPreferences }: CreateMessageParams): JsonObject {
    return { messages, system_prompt: systemPrompt, max_tokens: maxTokens, model_preferences: modelPreferences, model: this.#asker.run.model };
  }

  async sample(params: CreateMessageParams, signal: AbortSignal): Promise<CreateMessageResult> {
    const finish = await this.#ask(requestFor(params, this.#asker), signal);
    await this.#charge(finish);
    return { role: 'assistant', content: { type: 'text', text: messageText(finish.message.content) }, model: finish.model, stopReason: stopReasonOf(finish) };
  }

  async #ask(request: LlmRequest, signal: AbortSignal): Promise<Finish> {
    try {
      for await (const event of this.#context.llm.stream(request, { signal })) if (event.type === 'finish') return event;
    } catch (error) {
      if (error instanceof LlmError && error.usage !== undefined) await this.#charge({ usage: error.usage, model: request.model ?? this.#asker.run.model });
      const message = error instanceof LlmError ? error.message : 'the host failed';
      throw new ProtocolError(ErrorCode.internalError, `The model could not be asked: ${message}`, { cause: error });
    }
    throw new ProtocolError(ErrorCode.internalError, 'The model could not be asked: its stream ended too early.');
  }

  async #charge({ usage, model }: Pick<Finish, 'usage' | 'model'>): Promise<void> {
    const { call } = this.#asker;
    await this.#context.commit(call.runId, (change) => charge(change, { usage, model, call }));
  }
}

function requestFor(params: CreateMessageParams, { run, call }: Asker): LlmRequest {
  return {
    model: run.model,
    messages: params.messages.map(({ role, content }): Message => ({ role, content: blocksOf(content).map(toBlock) })),
    tools: [],
    maxTokens: Math.min(params.maxTokens, MAX_TOKENS),
    cacheKey: call.id,
    purpose: 'sampling',
    ...(params.systemPrompt === undefined ? {} : { system: params.systemPrompt }),
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(params.stopSequences === undefined ? {} : { stopSequences: params.stopSequences }),
  };
}

function blocksOf(content: SamplingContent | readonly SamplingContent[]): readonly SamplingContent[] {
  return 'type' in content ? [content] : content;
}

function toBlock(block: SamplingContent): ContentBlock {
  if (block.type === 'text' || block.type === 'image') return block;
  throw invalid(`content of type ${block.type} is not supported; text and images are`);
}

function stopReasonOf({ stop, rawStop }: Finish): string {
  switch (stop) {
    case 'end':
      return 'endTurn';
    case 'max_tokens':
    case 'context_full':
      return 'maxTokens';
    case 'stop_sequence':
      return 'stopSequence';
    case 'tool_use':
    case 'refusal':
    case 'pause':
    case 'other':
      return rawStop ?? stop;
  }
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, message);
}
