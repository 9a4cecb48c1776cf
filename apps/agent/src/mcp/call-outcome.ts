import { ErrorCode, LocalError, ProtocolError } from '@signalbox/mcp-core';
import { HttpError } from '@signalbox/mcp-core/http/client';
import type { Clock } from '../ports/clock.ts';
import type { CancelLevel, ToolCallOutcome, ToolCallRequest } from '../ports/tool-dispatcher.ts';
import type { Trial } from './call-breaker.ts';
import { messageOf, seconds } from '../text/error-text.ts';
import { needsLoginText } from './login-text.ts';
import { neededLogin } from './needed-login.ts';
import type { PooledServer } from './pooled-server.ts';
import type { ServerLife } from './server-life.ts';

/** The connection that a call is sent on. */
export interface CallLine {
  readonly server: PooledServer;
  readonly life: ServerLife;
  readonly clock: Clock;
  readonly trial: Trial;
}

/** Converts the error of a sent call to its outcome. */
export async function outcomeOf(
  line: CallLine,
  request: ToolCallRequest,
  error: unknown,
): Promise<ToolCallOutcome> {
  const { trial } = line;
  const name = line.server.config.name;
  if (error instanceof ProtocolError) {
    trial.answered();
    return refused(line, request, error);
  }
  if (!(error instanceof LocalError))
    return {
      type: 'lost',
      message: `the call of server ${name} failed unexpectedly: ${messageOf(error)}`,
    };
  switch (error.code) {
    case 'request-cancelled': {
      const level = error.sent ? await traceCancellation(line) : 'confirmed';
      if (level === 'delivered') trial.answered();
      return { type: 'cancelled', level };
    }
    case 'request-timeout': {
      trial.failed();
      if (!error.sent)
        return {
          type: 'not-sent',
          message: `server ${name} read nothing for ${seconds(request.inactivityMs)}`,
        };
      const level = await traceCancellation(line);
      return {
        type: 'lost',
        message: `${error.message}; it was cancelled (${LEVEL_TEXT[level]}), and it is unknown whether it took effect`,
      };
    }
    case 'connection-lost':
    case 'connection-closed':
    case 'connect-failed':
      return disconnected(line, error);
    case 'method-not-in-era':
    case 'capability-missing':
    case 'input-refused':
    case 'invalid-response':
    case 'invalid-argument':
      trial.answered();
      return { type: 'error', message: `server ${name}: ${error.message}` };
  }
}

/**
 * Converts an error response.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
function refused(
  { server }: CallLine,
  { resumeFrom }: ToolCallRequest,
  error: ProtocolError,
): ToolCallOutcome {
  const { name } = server.config;
  if (
    error.code === ErrorCode.invalidParams &&
    resumeFrom !== undefined &&
    'taskId' in resumeFrom
  ) {
    return {
      type: 'lost',
      message: `server ${name} no longer knows the task that the call became: ${error.message}`,
      isForgotten: true,
    };
  }
  // The server may have removed the tool.
  if (error.code === ErrorCode.invalidParams || error.code === ErrorCode.methodNotFound)
    server.refreshTools();
  return {
    type: 'error',
    message: `server ${name} answered with error ${error.code}: ${error.message}`,
  };
}

function disconnected({ server, life, trial }: CallLine, error: LocalError): ToolCallOutcome {
  const login = neededLogin(error);
  if (login !== undefined) {
    trial.answered();
    server.needLogin(login);
    return { type: 'not-sent', message: needsLoginText(server.config.name, login), login };
  }
  const isRemote = life.connection.pid === undefined;
  // The exit of a process counts as one failure for all of its calls.
  trial.failed(isRemote ? undefined : life);
  if (isRemote) server.doubt(life);
  const isSent = error.sent && !isRefusedByHttp(error);
  return {
    type: isSent ? 'lost' : 'not-sent',
    message: `the connection to server ${server.config.name} ended: ${error.message}`,
  };
}

/** Whether the server or a proxy rejected the request with a status that excludes any side effect. */
function isRefusedByHttp({ cause }: LocalError): boolean {
  return (
    cause instanceof HttpError &&
    [401, 403, 404, 405, 407, 413, 415, 421, 429, 431].includes(cause.status)
  );
}

const LEVEL_TEXT: { readonly [L in CancelLevel]: string } = {
  sent: 'it is unknown whether the server received the cancellation',
  delivered: 'the server received the cancellation',
  confirmed: 'its process has ended',
  failed: 'the connection ended before the server could receive the cancellation',
};

/**
 * Returns how far a sent cancellation got. Messages on a stdio connection keep their order, so a server
 * that answers a later ping has received the cancellation. A server that does not answer is replaced:
 * at once, or when the last other call on the connection has ended.
 */
async function traceCancellation({ server, life, clock }: CallLine): Promise<CancelLevel> {
  const { connection, router } = life;
  const isRemote = connection.pid === undefined;
  try {
    await connection.client.ping({ timeoutMs: server.graceMs, maxTotalMs: server.graceMs });
  } catch (error) {
    // A remote server has no process to end.
    if (isRemote && error instanceof LocalError)
      return error.code === 'request-timeout' ? 'sent' : 'failed';
    if (error instanceof LocalError && error.code === 'request-timeout') {
      const reason = `it did not answer within ${seconds(server.graceMs)} after a call was cancelled`;
      if (!router.hasCalls) return replaced(server, life, reason);
      server.retire(life, reason);
      return 'sent';
    }
    if (error instanceof LocalError)
      return (await settlesWithin(connection.exited, server.graceMs, clock))
        ? 'confirmed'
        : 'failed';
    // Any other error is a response of the server.
  }
  // HTTP requests are not ordered, so a later answer does not prove that the cancellation arrived.
  return isRemote ? 'sent' : 'delivered';
}

async function replaced(
  server: PooledServer,
  life: ServerLife,
  reason: string,
): Promise<CancelLevel> {
  await server.replace(life, reason);
  return 'confirmed';
}

async function settlesWithin(
  promise: Promise<unknown>,
  limitMs: number,
  clock: Clock,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const stopTimer = clock.after(limitMs, () => late.resolve(false));
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    stopTimer();
  }
}
