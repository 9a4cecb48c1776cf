import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Answer } from '../../jsonrpc/peer.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import { HttpError } from '../../protocol/http-error.ts';
import { httpFailureOf, isRequestRefused } from '../connection/http-failure.ts';

/**
 * The result of an answer.
 * @throws ProtocolError when the server answered with an error.
 * @throws LocalError `invalid-response`, `invalid-argument` (not serializable), or `connection-lost` with `sent`.
 */
export function readAnswer(method: string, answer: Answer): JsonObject {
  switch (answer.kind) {
    case 'result':
      return answer.result;
    case 'error':
      throw new ProtocolError(answer.error.code, answer.error.message, { data: answer.error.data });
    case 'invalid':
      throw new LocalError(
        'invalid-response',
        `The server's answer to ${method} is not JSON-RPC: ${answer.detail}`,
        { sent: true },
      );
    case 'refused':
      throw new LocalError(
        'invalid-response',
        `The server's answer to ${method} was refused: ${answer.detail}. Ask for less, or accept longer messages from this server.`,
        { sent: true },
      );
    case 'unsent':
      throw unsentError(method, answer.error);
    case 'closed':
      throw lostError(method, answer.error);
    default:
      return answer satisfies never;
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
  // Only of its own request: one that was under way when the session was found lost may have been executed.
  if (cause instanceof HttpError && cause.isSessionLost) {
    return new LocalError(
      'connection-lost',
      `The server has forgotten the session and did not look at ${method}. It can be repeated.`,
      { sent: false, cause },
    );
  }
  const end =
    failure === undefined
      ? `The connection ended before ${method} was answered`
      : `${method} failed with HTTP status ${failure.status}`;
  const advice =
    method === 'tools/call'
      ? 'See whether it took effect before you repeat it.'
      : 'It can be repeated when the server is reached again.';
  return new LocalError('connection-lost', `${end}${because(cause)} ${advice}`, {
    sent: true,
    cause,
  });
}

function because(cause: Error | undefined): string {
  return cause === undefined ? '.' : `: ${cause.message.replace(/[.\s]+$/, '')}.`;
}
