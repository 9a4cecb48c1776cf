import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { inputResponseProblems } from './elicitation.ts';
import type { KeyedInputRequest } from './input-requests.ts';

/** Decodes an input response. Returns `undefined` when it does not fit its input request. */
export function readInputResponse<M extends InputMethod>(
  inputRequest: KeyedInputRequest<M>,
  response: JsonObject,
  codec: Codec,
): InputTypes[M]['result'] | undefined {
  if (!isJsonObject(response)) return undefined;
  try {
    const decoded = codec.decodeInputResponse(inputRequest.method, response);
    return inputResponseProblems(inputRequest.params, decoded).length === 0 ? decoded : undefined;
  } catch {
    return undefined;
  }
}
