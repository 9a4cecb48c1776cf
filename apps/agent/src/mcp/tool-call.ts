import { ErrorCode, LocalError, ProtocolError, type CallToolResult } from '@signalbox/mcp-core';
import type { InputRoundKeeper, RequestOptions } from '@signalbox/mcp-core/client';
import type { Clock } from '../ports/test-hooks.ts';
import type { CancelLevel, ToolCallOutcome, ToolCallRequest } from '../ports/tool-registry.ts';
import type { CatalogueEntry } from './catalogue.ts';
import type { PooledServer } from './pooled-server.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ServerLife } from './server-life.ts';

/** `_meta` key of the idempotency key. */
const IDEMPOTENCY_KEY = 'dev.signalbox/idempotency-key';

/** Makes one call of a known tool and says how it ended; never rejects. */
export async function callTool(server: PooledServer, call: { readonly entry: CatalogueEntry; readonly request: ToolCallRequest }, clock: Clock): Promise<ToolCallOutcome> {
  const outcome = await attempt(server, call, clock);
  return 'message' in outcome ? { ...outcome, message: server.mask(outcome.message) } : outcome;
}

async function attempt(server: PooledServer, call: { readonly entry: CatalogueEntry; readonly request: ToolCallRequest }, clock: Clock): Promise<ToolCallOutcome> {
  const refusal = checkArguments(call.entry, call.request);
  if (refusal !== undefined) return refusal;
  const admission = await admit(server, call.request, clock);
  if (typeof admission !== 'function') return admission;
  try {
    const { life } = server;
    return life === undefined ? notReady(server) : await send({ server, life, clock }, call);
  } finally {
    admission();
  }
}

function checkArguments({ tool, validate }: CatalogueEntry, request: ToolCallRequest): ToolCallOutcome | undefined {
  try {
    const problem = validate(request.arguments);
    return problem === undefined ? undefined : { type: 'result', result: { content: [{ type: 'text', text: problem }], isError: true } };
  } catch (error) {
    return { type: 'error', message: `tool ${tool.wireName} cannot be called: ${messageOf(error)}` };
  }
}

function notReady(server: PooledServer): ToolCallOutcome {
  const { name, state, error } = server.status;
  return { type: 'not-sent', message: `server ${name} is ${state}${error === undefined ? '' : `: ${error}`}` };
}

async function admit(server: PooledServer, request: ToolCallRequest, clock: Clock): Promise<(() => void) | ToolCallOutcome> {
  const waiting = new AbortController();
  const stopTimer = clock.after(request.maxTotalMs, () => waiting.abort());
  try {
    return await server.gate.enter(request.runId, AbortSignal.any([request.signal, waiting.signal]));
  } catch {
    // Nothing was sent, so nothing can be going on.
    if (request.signal.aborted) return { type: 'cancelled', level: 'confirmed' };
    return { type: 'not-sent', message: `server ${server.config.name} was kept busy by another run for ${seconds(request.maxTotalMs)}` };
  } finally {
    stopTimer();
  }
}

interface Line {
  readonly server: PooledServer;
  readonly life: ServerLife;
  readonly clock: Clock;
}

async function send(line: Line, { entry: { tool }, request }: { readonly entry: CatalogueEntry; readonly request: ToolCallRequest }): Promise<ToolCallOutcome> {
  const { connection, router } = line.life;
  const meta = { [IDEMPOTENCY_KEY]: request.idempotencyKey };
  const call = { runId: request.runId, meta, questions: request.questions };
  const parking = new Parking(request.rounds, request.resumeFrom !== undefined && !('taskId' in request.resumeFrom));
  router.begin(call);
  try {
    const result = await start(connection.client, tool.name, { request, options: { meta, rounds: parking } });
    router.end(call, 'answered');
    return { type: 'result', result };
  } catch (error) {
    // The server does nothing for a call that waits for an answer, and knows of none that is given up.
    if (parking.isParked && error instanceof LocalError && error.code === 'request-cancelled') {
      router.end(call, 'answered');
      return { type: 'cancelled', level: 'confirmed' };
    }
    const isGivenUp = error instanceof LocalError && error.sent && (error.code === 'request-cancelled' || error.code === 'request-timeout');
    router.end(call, isGivenUp ? 'given-up' : 'answered');
    return outcomeOf(line, request, error);
  }
}

/** Sends the call, or goes on with it. */
function start(client: ServerConnection['client'], name: string, { request, options }: { readonly request: ToolCallRequest; readonly options: RequestOptions }): Promise<CallToolResult> {
  const { resumeFrom, onTask, arguments: args } = request;
  const all: RequestOptions = {
    ...options,
    signal: request.signal,
    timeoutMs: request.inactivityMs,
    maxTotalMs: request.maxTotalMs,
    onProgress: request.onProgress,
    ...(onTask === undefined ? {} : { onTask: ({ taskId }) => onTask(taskId) }),
  };
  if (resumeFrom === undefined) return client.callTool(name, args, all);
  return 'taskId' in resumeFrom ? client.tasks.resume(resumeFrom.taskId, all) : client.callTool(name, args, { ...all, resumeFrom });
}

/** Knows whether a call waits for an answer; passes on what it hears. */
class Parking implements InputRoundKeeper {
  readonly #keeper: InputRoundKeeper | undefined;
  isParked: boolean;

  constructor(keeper: InputRoundKeeper | undefined, isParked: boolean) {
    this.#keeper = keeper;
    this.isParked = isParked;
  }

  async asked(asked: Parameters<InputRoundKeeper['asked']>[0]): Promise<void> {
    this.isParked = true;
    await this.#keeper?.asked(asked);
  }

  async answered(): Promise<void> {
    await this.#keeper?.answered();
    this.isParked = false;
  }
}

async function outcomeOf(line: Line, request: ToolCallRequest, error: unknown): Promise<ToolCallOutcome> {
  const name = line.server.config.name;
  if (error instanceof ProtocolError && error.code === ErrorCode.invalidParams && request.resumeFrom !== undefined && 'taskId' in request.resumeFrom) {
    return { type: 'lost', message: `server ${name} no longer knows the task that the call became: ${error.message}` };
  }
  if (error instanceof ProtocolError) return { type: 'error', message: `server ${name} answered with error ${error.code}: ${error.message}` };
  if (!(error instanceof LocalError)) return { type: 'lost', message: `the call of server ${name} failed unexpectedly: ${messageOf(error)}` };
  switch (error.code) {
    case 'request-cancelled':
      return { type: 'cancelled', level: error.sent ? await traceCancellation(line) : 'confirmed' };
    case 'request-timeout': {
      if (!error.sent) return { type: 'not-sent', message: `server ${name} took nothing for ${seconds(request.inactivityMs)}` };
      const level = await traceCancellation(line);
      return { type: 'lost', message: `${error.message}; it was cancelled (${LEVEL_TEXT[level]}), and whether it took effect is not known` };
    }
    case 'connection-lost':
    case 'connection-closed':
    case 'connect-failed':
      return { type: error.sent ? 'lost' : 'not-sent', message: `the connection to server ${name} ended: ${error.message}` };
    case 'method-not-in-era':
    case 'capability-missing':
    case 'input-refused':
    case 'invalid-response':
    case 'invalid-argument':
      return { type: 'error', message: `server ${name}: ${error.message}` };
  }
}

const LEVEL_TEXT: { readonly [L in CancelLevel]: string } = {
  sent: 'the server does not react',
  delivered: 'the server has received that',
  confirmed: 'its process has ended',
  failed: 'the connection ended before the server could receive that',
};

/**
 * How far a sent cancellation got: messages keep their order, so a server that answers a later ping has received it. One that does not answer is
 * stuck; its process is ended, at once or when the last other call on it is done.
 */
async function traceCancellation({ server, life, clock }: Line): Promise<CancelLevel> {
  const { connection, router } = life;
  try {
    await connection.client.ping({ timeoutMs: server.graceMs, maxTotalMs: server.graceMs });
  } catch (error) {
    if (error instanceof LocalError && error.code === 'request-timeout') {
      const reason = `it did not answer within ${seconds(server.graceMs)} after a call was cancelled`;
      if (!router.hasCalls) return replaced(server, life, reason);
      server.retire(life, reason);
      return 'sent';
    }
    if (error instanceof LocalError) return (await settlesWithin(connection.exited, server.graceMs, clock)) ? 'confirmed' : 'failed';
    // An error of the server is an answer, too.
  }
  if (router.hasAsked) server.retire(life, 'a call that may still ask was cancelled');
  return 'delivered';
}

async function replaced(server: PooledServer, life: ServerLife, reason: string): Promise<CancelLevel> {
  await server.replace(life, reason);
  return 'confirmed';
}

async function settlesWithin(promise: Promise<unknown>, limitMs: number, clock: Clock): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const stopTimer = clock.after(limitMs, () => late.resolve(false));
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    stopTimer();
  }
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
