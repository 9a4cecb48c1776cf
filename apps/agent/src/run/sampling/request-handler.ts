import {
  ErrorCode,
  ProtocolError,
  type CreateMessageParams,
  type CreateMessageResult,
  type JsonObject,
  type SamplingContent,
} from '@signalbox/mcp-core';
import type { InboxItem } from '../../ports/store/inbox.ts';
import type { ApprovalPolicy } from '../../ports/tool-rules.ts';
import { wireName } from '../../text/wire-name.ts';
import { rulesPolicy, stricter } from '../approvals/policy.ts';
import { requestInput, type RequestingCall } from '../input/request-input.ts';
import type { Uses } from '../core/engine-parts.ts';
import type { InputRequestCount } from '../input/input-request-count.ts';
import { Sampler } from './sampler.ts';
import { applySamplingEdit } from './edits.ts';

export type SamplingParts = Uses<
  | 'store'
  | 'workerId'
  | 'bus'
  | 'watch'
  | 'llm'
  | 'clock'
  | 'logger'
  | 'newId'
  | 'policyOf'
  | 'activities'
  | 'commit'
  | 'sweep'
>;

export interface SamplingOptions {
  /** Aborting withdraws the request. */
  readonly signal: AbortSignal;
  /** Set for a parked call: earlier decisions of a person apply. */
  readonly questionKey: string | undefined;
}

/**
 * Handles the sampling requests of a server during one call. A person approves the request before
 * the model gets it, and the message before the server gets it, when the policy requires it.
 */
export class SamplingRequestHandler {
  readonly #context: SamplingParts;
  readonly #caller: RequestingCall;
  readonly #count: InputRequestCount;
  readonly #sampler: Sampler;

  constructor(context: SamplingParts, caller: RequestingCall, count: InputRequestCount) {
    this.#context = context;
    this.#caller = caller;
    this.#count = count;
    this.#sampler = new Sampler(context, caller);
  }

  /**
   * Serves one request.
   * @throws ProtocolError when the configuration, a limit or a person rejects it, or it cannot be
   * served
   */
  async serve(params: CreateMessageParams, options: SamplingOptions): Promise<CreateMessageResult> {
    this.#sampler.check(params);
    const { server } = this.#caller.call;
    const { sampling: configured, samplingReview = false } = this.#context.policyOf(server);
    const ofTools = toolsPolicy(this.#caller, params);
    const sampling = stricter(configured, ofTools);
    const replyKey = options.questionKey === undefined ? undefined : `${options.questionKey}:reply`;
    const [asked, shown] = [await this.#itemOf(options.questionKey), await this.#itemOf(replyKey)];
    if (asked === undefined && shown === undefined) await this.#sampler.count(sampling);
    if (configured === 'deny')
      throw refusal('Sampling is not allowed for this server by the configuration of this host.');
    if (ofTools === 'deny')
      throw refusal('The run of this call may not use all tools of the sampling request.');
    // An open approval stays with the person, even if the configuration changed.
    const approve = async (): Promise<CreateMessageParams> =>
      sampling === 'ask' || asked !== undefined ? this.#approve(params, options) : params;
    const reply =
      shown === undefined
        ? await this.#sampler.sample(await approve(), options.signal)
        : replyOf(shown.request);
    return samplingReview || shown !== undefined
      ? this.#review(reply, { ...options, questionKey: replyKey })
      : reply;
  }

  /** Returns the request as the person approved it. */
  async #approve(
    params: CreateMessageParams,
    options: SamplingOptions,
  ): Promise<CreateMessageParams> {
    await this.#count.take(options.questionKey);
    const item = await requestInput(this.#context, this.#caller, {
      kind: 'sampling_approval',
      request: this.#sampler.requestOf(params),
      ...options,
    });
    if (item.response?.['action'] !== 'approve')
      throw refusal(
        item.state === 'expired'
          ? 'Nobody approved the sampling request in time.'
          : 'User rejected sampling request',
      );
    const edited = applySamplingEdit(params, contentOf(item));
    this.#sampler.check(edited);
    return edited;
  }

  /** Returns the message as the person approved it. */
  async #review(
    reply: CreateMessageResult,
    options: SamplingOptions,
  ): Promise<CreateMessageResult> {
    await this.#count.take(options.questionKey);
    const item = await requestInput(this.#context, this.#caller, {
      kind: 'sampling_reply',
      request: {
        text: textOf(reply),
        model: reply.model,
        stop_reason: reply.stopReason,
        ...callsIn(reply),
      },
      ...options,
    });
    if (item.response?.['action'] !== 'approve')
      throw refusal(
        item.state === 'expired'
          ? 'Nobody approved the reply of the model in time.'
          : 'User rejected the reply of the model',
      );
    const text = contentOf(item)?.['text'];
    return typeof text === 'string'
      ? {
          ...reply,
          content: { type: 'text', text },
          ...(reply.stopReason === 'toolUse' ? { stopReason: 'endTurn' } : {}),
        }
      : reply;
  }

  /** Returns the inbox item of this key, opened by this process or an earlier one. */
  async #itemOf(questionKey: string | undefined): Promise<InboxItem | undefined> {
    return questionKey === undefined
      ? undefined
      : this.#context.store.read.inboxItemOf(this.#caller.call.id, questionKey);
  }
}

/**
 * Returns the strictest policy of the run's rules for the tools that a sampling request offers the
 * model. The server makes their calls itself, so the rules apply to the request.
 */
function toolsPolicy(
  { run, call: { server } }: RequestingCall,
  { tools = [] }: CreateMessageParams,
): ApprovalPolicy {
  return tools
    .map(({ name }) => rulesPolicy(run.toolRules, wireName(server, name)))
    .reduce(stricter, 'auto');
}

function contentOf({ response }: InboxItem): JsonObject | undefined {
  // The response was checked when it was stored.
  return response?.['content'] as JsonObject | undefined;
}

function textOf({ content }: CreateMessageResult): string {
  return [content]
    .flat()
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('');
}

/**
 * Returns the tool calls of a message, which the review shows in full. A text of the person replaces all of
 * them.
 */
function callsIn({ content }: CreateMessageResult): JsonObject {
  return Array.isArray(content) ? { content } : {};
}

/**
 * Rebuilds the message that a person is reviewing since an earlier process, so that the model is
 * not called twice.
 */
function replyOf({
  text,
  model,
  stop_reason: stopReason,
  content,
}: JsonObject): CreateMessageResult {
  // The item stores the content as it was shown.
  const blocks = Array.isArray(content)
    ? (content as readonly SamplingContent[])
    : ({ type: 'text', text: String(text) } as const);
  return {
    role: 'assistant',
    content: blocks,
    model: String(model),
    ...(typeof stopReason === 'string' ? { stopReason } : {}),
  };
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.rejectedByUser, message);
}
