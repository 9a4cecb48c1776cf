import { ErrorCode, ProtocolError, type ElicitParams, type ElicitResult, type JsonObject, type QuestionContext, type QuestionHandlers } from '@signalbox/mcp-core';
import type { InboxItem, InboxKind } from '../ports/run-store.ts';
import { ask, type Asker } from './ask.ts';
import { checkableSchema } from './elicitation-content.ts';
import type { EngineContext } from './engine-context.ts';
import type { RoundKeeper } from './parked-calls.ts';
import { Sampler } from './sampler.ts';

/** Answers the questions of a server during a call: a person fills in forms, the model of the run serves sampling within the policy. */
export function questionsOf(context: EngineContext, asker: Asker, rounds: Pick<RoundKeeper, 'keyOf'>): QuestionHandlers {
  const sampler = new Sampler(context, asker);
  const askPerson = (kind: InboxKind, request: JsonObject, { signal, key }: QuestionContext): Promise<InboxItem> =>
    ask(context, asker, { kind, request, signal: AbortSignal.any([signal, asker.activity.signal]), questionKey: key === undefined ? undefined : rounds.keyOf(key) });

  return {
    async elicit(params, question): Promise<ElicitResult> {
      const item = await askPerson(params.mode === 'url' ? 'elicitation_url' : 'elicitation_form', elicitationRequest(params), question);
      return answerOf(item);
    },

    async sample(params, question) {
      sampler.check(params);
      const policy = context.policyOf(asker.call.server).sampling;
      if (policy === 'deny') throw new ProtocolError(ErrorCode.rejectedByUser, 'Sampling is not allowed for this server by the configuration of this host.');
      if (policy === 'ask') {
        const item = await askPerson('sampling_approval', sampler.requestOf(params), question);
        if (item.response?.['action'] !== 'approve') throw new ProtocolError(ErrorCode.rejectedByUser, item.state === 'expired' ? 'Nobody approved the sampling request in time.' : 'User rejected sampling request');
      }
      return sampler.sample(params, AbortSignal.any([question.signal, asker.activity.signal]));
    },
  };
}

function elicitationRequest(params: ElicitParams): JsonObject {
  if (params.mode === 'url') return { message: params.message, url: params.url };
  const problem = checkableSchema(params.requestedSchema);
  if (problem !== undefined) throw new ProtocolError(ErrorCode.invalidParams, `requestedSchema cannot be used: ${problem}`);
  return { message: params.message, requested_schema: params.requestedSchema };
}

/** An item that expired is a form that the person closed. */
function answerOf({ response }: InboxItem): ElicitResult {
  // The response was checked against the item's kind when it was taken.
  const { action, content } = (response ?? { action: 'cancel' }) as unknown as ElicitResult;
  return content === undefined ? { action } : { action, content };
}
