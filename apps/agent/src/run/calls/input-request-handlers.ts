import type { ElicitParams, ElicitResult, JsonObject, InputHandlers } from '@signalbox/mcp-core';
import type { InboxItem } from '../../ports/run-store.ts';
import { ask, type Asker } from '../input/request-input.ts';
import { formRequest } from '../input/elicitation-form.ts';
import { urlRequest } from '../input/elicitation-url.ts';
import type { Uses } from '../core/engine-parts.ts';
import type { RoundKeeper } from './parked-calls.ts';
import { QuestionCount } from '../input/input-request-count.ts';
import { SamplingDesk } from '../sampling/request-handler.ts';

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

interface QuestionListeners {
  readonly rounds: Pick<RoundKeeper, 'keyOf'>;
  /** Called once, when the server goes on asking after many refusals: the call is to be ended. */
  readonly onTooMany: () => void;
}

/** Answers the questions of a server during a call: a person fills in forms, the model of the run serves sampling within the policy. */
export function questionsOf(
  context: Parts,
  asker: Asker,
  { rounds, onTooMany }: QuestionListeners,
): InputHandlers {
  const count = new QuestionCount(context, asker.call, onTooMany);
  const sampling = new SamplingDesk(context, asker, count);
  const keyOf = (key: string | undefined): string | undefined =>
    key === undefined ? undefined : rounds.keyOf(key);
  const until = (signal: AbortSignal): AbortSignal =>
    AbortSignal.any([signal, asker.activity.signal]);

  return {
    async elicit(params, { signal, key }): Promise<ElicitResult> {
      const questionKey = keyOf(key);
      // Counted before anything else is done with it: a refused question costs the server one, too.
      await count.take(questionKey);
      const kind = params.mode === 'url' ? 'elicitation_url' : 'elicitation_form';
      return answerOf(
        await ask(context, asker, {
          kind,
          request: elicitationRequest(params),
          signal: until(signal),
          questionKey,
        }),
      );
    },

    sample: (params, { signal, key }) =>
      sampling.serve(params, { signal: until(signal), questionKey: keyOf(key) }),
  };
}

function elicitationRequest(params: ElicitParams): JsonObject {
  return params.mode === 'url'
    ? urlRequest(params)
    : formRequest(params.message, params.requestedSchema);
}

/** An item that expired is a form that the person closed. */
function answerOf({ response }: InboxItem): ElicitResult {
  // The response was checked against the item's kind when it was taken.
  const { action, content } = (response ?? { action: 'cancel' }) as unknown as ElicitResult;
  return content === undefined ? { action } : { action, content };
}
