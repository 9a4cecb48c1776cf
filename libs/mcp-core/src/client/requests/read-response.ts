import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { RequestOutcome } from '../../jsonrpc/outgoing-request.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import { HttpError } from '../../protocol/http-error.ts';
import { resultOf } from '../../protocol/result-of.ts';
import { httpFailureOf, isRequestRefused } from '../connection/http-failure.ts';

/**
 * Returns the result in a response.
 * @throws ProtocolError when the response is an error.
 * @throws LocalError `invalid-response`, `invalid-argument` (not serializable), or `connection-lost` with `sent`.
 */
export function readResponse(method: string, outcome: RequestOutcome): JsonObject {
  if (outcome.kind === 'unsent') throw unsentError(method, outcome.error);
  if (outcome.kind === 'closed') throw lostError(method, outcome.error);
  return resultOf(outcome, {
    peer: 'server',
    method,
    limitAdvice: 'Request less, or raise the message limit for this server.',
  });
}

function unsentError(method: string, cause: Error): LocalError {
  if (cause instanceof TypeError) {
    return new LocalError(
      'invalid-argument',
      `The params of ${method} cannot be written as JSON${because(cause)}`,
      { cause },
    );
  }
  return new LocalError('connection-lost', `${method} was not sent${because(cause)}`, {
    sent: false,
    cause,
  });
}

function lostError(method: string, cause: Error | undefined): LocalError | ProtocolError {
  const failure = httpFailureOf(cause);
  if (failure?.rpcError !== undefined && isRequestRefused(failure)) {
    return new ProtocolError(failure.rpcError.code, failure.rpcError.message, {
      data: failure.rpcError.data,
      cause,
    });
  }
  if (cause instanceof LocalError && cause.code === 'invalid-response') {
    return cause;
  }
  // Only the request that found the session lost: other active requests may have been executed.
  if (cause instanceof HttpError && cause.isSessionLost) {
    return new LocalError(
      'connection-lost',
      `The server has forgotten the session and did not process ${method}. It can be repeated.`,
      { sent: false, cause },
    );
  }
  const end =
    failure === undefined
      ? `The connection ended before ${method} was answered`
      : `${method} failed with HTTP status ${failure.status}`;
  const advice =
    method === 'tools/call'
      ? 'Check whether it took effect before you repeat it.'
      : 'It can be repeated when the server can be reached again.';
  return new LocalError('connection-lost', `${end}${because(cause)} ${advice}`, {
    sent: true,
    cause,
  });
}

function because(cause: Error | undefined): string {
  return cause === undefined ? '.' : `: ${cause.message.replace(/[.\s]+$/, '')}.`;
}
