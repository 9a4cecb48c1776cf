import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { RequestOutcome } from '../../jsonrpc/outgoing-request.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import { HttpError } from '../../protocol/http-error.ts';
import { httpFailureOf, isRequestRefused } from '../connection/http-failure.ts';

/**
 * Returns the result in a response.
 * @throws ProtocolError when the response is an error.
 * @throws LocalError `invalid-response`, `invalid-argument` (not serializable), or `connection-lost` with `sent`.
 */
export function readResponse(method: string, outcome: RequestOutcome): JsonObject {
  switch (outcome.kind) {
    case 'result':
      return outcome.result;
    case 'error':
      throw new ProtocolError(outcome.error.code, outcome.error.message, {
        data: outcome.error.data,
      });
    case 'invalid':
      throw new LocalError(
        'invalid-response',
        `The server's response to ${method} is not JSON-RPC: ${outcome.detail}`,
        { sent: true },
      );
    case 'refused':
      throw new LocalError(
        'invalid-response',
        `The server's response to ${method} was refused: ${outcome.detail}. Request less, or raise the message limit for this server.`,
        { sent: true },
      );
    case 'unsent':
      throw unsentError(method, outcome.error);
    case 'closed':
      throw lostError(method, outcome.error);
    default:
      return outcome satisfies never;
  }
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
