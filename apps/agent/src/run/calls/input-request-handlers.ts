import type { ElicitParams, ElicitResult, JsonObject } from '@signalbox/mcp-core';
import type { InputHandlers } from '@signalbox/mcp-core/client';
import type { InboxItem } from '../../ports/store/inbox.ts';
import { requestInput, type RequestingCall } from '../input/request-input.ts';
import { formRequest } from '../input/elicitation-form.ts';
import { urlRequest } from '../input/elicitation-url.ts';
import type { StoredInputRounds } from './parked-calls.ts';
import { InputRequestCount } from '../input/input-request-count.ts';
import { SamplingRequestHandler, type SamplingParts } from '../sampling/request-handler.ts';

interface InputRequestHooks {
  readonly rounds: Pick<StoredInputRounds, 'keyOf'>;
  /** Called once, when the server continues after many rejections: the call is to be ended. */
  readonly onTooMany: () => void;
}

/**
 * Creates the handlers for a server's requests during a call: a person answers elicitations, a
 * model serves sampling within the policy.
 */
export function inputRequestHandlers(
  context: SamplingParts,
  caller: RequestingCall,
  { rounds, onTooMany }: InputRequestHooks,
): InputHandlers {
  const count = new InputRequestCount(context, caller.call, onTooMany);
  const sampling = new SamplingRequestHandler(context, caller, count);
  const keyOf = (key: string | undefined): string | undefined =>
    key === undefined ? undefined : rounds.keyOf(key);
  const until = (signal: AbortSignal): AbortSignal =>
    AbortSignal.any([signal, caller.activity.signal]);

  return {
    async elicit(params, { signal, key }): Promise<ElicitResult> {
      const questionKey = keyOf(key);
      // Counted first, so that a rejected request counts too.
      await count.take(questionKey);
      const kind = params.mode === 'url' ? 'elicitation_url' : 'elicitation_form';
      return answerOf(
        await requestInput(context, caller, {
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

/**
 * Converts a closed item to an elicitation result. An expired item counts as a form that the person
 * closed.
 */
function answerOf({ response }: InboxItem): ElicitResult {
  // The response was checked when it was stored.
  const { action, content } = (response ?? { action: 'cancel' }) as unknown as ElicitResult;
  return content === undefined ? { action } : { action, content };
}
