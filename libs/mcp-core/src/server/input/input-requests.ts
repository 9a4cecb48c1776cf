import type { InputMethod } from '../../era/codec.ts';
import type { ClientCapability } from '../../protocol/capabilities.ts';
import type { CreateMessageParams, ElicitParams } from '../../protocol/client-features.ts';

/** What a client must have declared to be asked this. */
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
