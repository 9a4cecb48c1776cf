import type { Codec } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import type { DetailedTask } from '../../protocol/tasks.ts';

/**
 * Returns the result of a call that ran as a task.
 * @throws ProtocolError the error of the task; LocalError `request-cancelled`, `invalid-response`
 */
export function readTaskResult({ status, result, error }: DetailedTask, codec: Codec): JsonObject {
  if (status === 'cancelled') throw cancelledOnServer();
  if (error !== undefined) throw new ProtocolError(error.code, error.message, { data: error.data });
  const decoded = codec.decodeResult('tools/call', result ?? {});
  if (decoded.kind === 'complete') return decoded.result;
  throw new LocalError(
    'invalid-response',
    `The result of a task is unusable: ${decoded.kind === 'invalid' ? decoded.detail : `it is ${decoded.kind}`}`,
    { sent: true },
  );
}

/** Returns the error of a call whose task the server cancelled. */
export function cancelledOnServer(): LocalError {
  return new LocalError(
    'request-cancelled',
    'The task that tools/call became was cancelled on the server.',
    { sent: true },
  );
}
