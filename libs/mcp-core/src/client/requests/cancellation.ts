import { untilAborted } from '../../jsonrpc/bounded-waits.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { SentRequest } from './active-request.ts';

/** Returns the error of a request that its caller cancelled after it was sent. */
export function cancelledByCaller(method: string, signal: AbortSignal | undefined): LocalError {
  return new LocalError('request-cancelled', `${method} was cancelled.`, {
    sent: true,
    cause: signal?.reason,
  });
}

/** Returns the reason with which the signal of an input handler aborts when the server cancels its request. */
export function cancelledByServer(reason: unknown): LocalError {
  return new LocalError(
    'request-cancelled',
    `The server withdrew its request${typeof reason === 'string' ? `: ${reason}` : '.'}`,
  );
}

/**
 * Resolves with the result of work for a request, unless the request ends first. Does not stop the
 * work.
 * @throws LocalError `request-cancelled` when the caller cancels the request first,
 * `connection-lost` when the connection ends first
 */
export async function whileWanted<T>(
  work: Promise<T>,
  { endSignal }: { readonly endSignal: AbortSignal },
  { method, options: { signal } }: SentRequest,
): Promise<T> {
  const ended = signal === undefined ? endSignal : AbortSignal.any([signal, endSignal]);
  try {
    return await untilAborted(work, ended);
  } catch (error) {
    if (signal?.aborted === true) throw cancelledByCaller(method, signal);
    if (!endSignal.aborted) throw error;
    throw new LocalError(
      'connection-lost',
      `The connection ended while the server waited for input to answer ${method}.`,
      { sent: true, cause: endSignal.reason },
    );
  }
}
