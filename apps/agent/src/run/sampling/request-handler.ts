import {
  ErrorCode,
  ProtocolError,
  type CreateMessageParams,
  type CreateMessageResult,
  type JsonObject,
  type SamplingContent,
} from '@signalbox/mcp-core';
import type { InboxItem } from '../../ports/run-store.ts';
import { ask, type Asker } from '../input/request-input.ts';
import type { Uses } from '../core/engine-parts.ts';
import type { QuestionCount } from '../input/input-request-count.ts';
import { Sampler } from './sampler.ts';
import { applySamplingEdit } from './edits.ts';

type Parts = Uses<
  | 'store'
  | 'bootId'
  | 'bus'
  | 'llm'
  | 'clock'
  | 'logger'
  | 'newId'
  | 'policyOf'
  | 'activities'
  | 'timers'
  | 'commit'
>;

export interface SamplingPlace {
  /** Aborting withdraws the request. */
  readonly signal: AbortSignal;
  /** Of a parked call: what a person said before counts. */
  readonly questionKey: string | undefined;
}

/** Takes the sampling requests of a server during one call: asks a person before the model, and before the server gets the reply, where that is configured. */
export class SamplingDesk {
  readonly #context: Parts;
  readonly #asker: Asker;
  readonly #count: QuestionCount;
  readonly #sampler: Sampler;

  constructor(context: Parts, asker: Asker, count: QuestionCount) {
    this.#context = context;
    this.#asker = asker;
    this.#count = count;
    this.#sampler = new Sampler(context, asker);
  }

  /** @throws ProtocolError when the request is refused, by the configuration, the limits or a person, or cannot be served */
  async serve(params: CreateMessageParams, place: SamplingPlace): Promise<CreateMessageResult> {
    this.#sampler.check(params);
    const { sampling, samplingReview = false } = this.#context.policyOf(this.#asker.call.server);
    const replyKey = place.questionKey === undefined ? undefined : `${place.questionKey}:reply`;
    const [asked, shown] = [await this.#itemOf(place.questionKey), await this.#itemOf(replyKey)];
    if (asked === undefined && shown === undefined) await this.#sampler.count(sampling);
    if (sampling === 'deny')
      throw refusal('Sampling is not allowed for this server by the configuration of this host.');
    // What a person was asked before, a person decides, whatever is configured by now.
    const approve = async (): Promise<CreateMessageParams> =>
      sampling === 'ask' || asked !== undefined ? this.#approve(params, place) : params;
    const reply =
      shown === undefined
        ? await this.#sampler.sample(await approve(), place.signal)
        : replyOf(shown.request);
    return samplingReview || shown !== undefined
      ? this.#review(reply, { ...place, questionKey: replyKey })
      : reply;
  }

  /** The request as a person approved it. */
  async #approve(params: CreateMessageParams, place: SamplingPlace): Promise<CreateMessageParams> {
    await this.#count.take(place.questionKey);
    const item = await ask(this.#context, this.#asker, {
      kind: 'sampling_approval',
      request: this.#sampler.requestOf(params),
      ...place,
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

  /** The reply as a person approved it. */
  async #review(reply: CreateMessageResult, place: SamplingPlace): Promise<CreateMessageResult> {
    await this.#count.take(place.questionKey);
    const item = await ask(this.#context, this.#asker, {
      kind: 'sampling_reply',
      request: {
        text: textOf(reply),
        model: reply.model,
        stop_reason: reply.stopReason,
        ...callsIn(reply),
      },
      ...place,
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

  /** What was asked before under this key, by this process or an earlier one. */
  async #itemOf(questionKey: string | undefined): Promise<InboxItem | undefined> {
    return questionKey === undefined
      ? undefined
      : this.#context.store.read.inboxItemOf(this.#asker.call.id, questionKey);
  }
}

function contentOf({ response }: InboxItem): JsonObject | undefined {
  // Checked when the answer was taken.
  return response?.['content'] as JsonObject | undefined;
}

function textOf({ content }: CreateMessageResult): string {
  return [content]
    .flat()
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('');
}

/** A person sees the calls of a reply whole, and a text of theirs goes instead of all of it. */
function callsIn({ content }: CreateMessageResult): JsonObject {
  return Array.isArray(content) ? { content } : {};
}

/** A reply that an earlier process showed to a person: the model is not asked twice for it. */
function replyOf({
  text,
  model,
  stop_reason: stopReason,
  content,
}: JsonObject): CreateMessageResult {
  // Stored as it was shown.
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
