import { ErrorCode, ProtocolError, type ElicitParams, type ElicitResult, type JsonObject, type QuestionHandlers } from '@signalbox/mcp-core';
import type { InboxItem } from '../ports/run-store.ts';
import { ask, type Asker } from './ask.ts';
import { checkableSchema } from './elicitation-content.ts';
import { urlRequest } from './elicitation-url.ts';
import type { EngineContext } from './engine-context.ts';
import type { RoundKeeper } from './parked-calls.ts';
import { SamplingDesk } from './sampling-desk.ts';

/** Answers the questions of a server during a call: a person fills in forms, the model of the run serves sampling within the policy. */
export function questionsOf(context: EngineContext, asker: Asker, rounds: Pick<RoundKeeper, 'keyOf'>): QuestionHandlers {
  const sampling = new SamplingDesk(context, asker);
  const keyOf = (key: string | undefined): string | undefined => (key === undefined ? undefined : rounds.keyOf(key));
  const until = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, asker.activity.signal]);

  return {
    async elicit(params, { signal, key }): Promise<ElicitResult> {
      const kind = params.mode === 'url' ? 'elicitation_url' : 'elicitation_form';
      return answerOf(await ask(context, asker, { kind, request: elicitationRequest(params), signal: until(signal), questionKey: keyOf(key) }));
    },

    sample: (params, { signal, key }) => sampling.serve(params, { signal: until(signal), questionKey: keyOf(key) }),
  };
}

function elicitationRequest(params: ElicitParams): JsonObject {
  if (params.mode === 'url') return urlRequest(params);
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
