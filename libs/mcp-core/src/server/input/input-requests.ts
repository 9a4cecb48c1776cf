import type { InputMethod, InputTypes } from '../../era/codec.ts';
import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import type { ClientCapability } from '../../protocol/capabilities.ts';
import type { CreateMessageParams, ElicitParams } from '../../protocol/client-features.ts';

/** An input request of a handler, under its key. */
export interface KeyedInputRequest<M extends InputMethod> {
  readonly method: M;
  /** Unique among the input requests of one request. */
  readonly key: string;
  readonly params: InputTypes[M]['params'];
  readonly signal: AbortSignal;
  /** The request that needs the input; absent when a session sends the input request on its own. */
  readonly relatedTo?: RequestId;
  /** `_meta` of the input request. */
  readonly meta?: JsonObject;
}

/** Reads an input response. Returns `undefined` when it does not fit its input request, which must then be sent again. */
export type ReadInputResponse = <M extends InputMethod>(
  inputRequest: KeyedInputRequest<M>,
  response: JsonObject,
) => InputTypes[M]['result'] | undefined;

/** Returns the client capability that an input request needs. */
export function capabilityOf(
  method: InputMethod,
  params: ElicitParams | CreateMessageParams | undefined,
): ClientCapability {
  if (method === 'roots/list' || params === undefined) return 'roots';
  if ('messages' in params)
    return params.tools === undefined && params.toolChoice === undefined
      ? 'sampling'
      : 'sampling.tools';
  return params.mode === 'url' ? 'elicitation.url' : 'elicitation.form';
}
