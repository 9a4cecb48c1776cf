import { ErrorCode, LocalError, ProtocolError, type CallToolResult } from '@signalbox/mcp-core';
import type { InputRoundKeeper, RequestOptions } from '@signalbox/mcp-core/client';
import { HttpError } from '@signalbox/mcp-core/http/client';
import type { Clock } from '../ports/test-hooks.ts';
import type {
  CallReservation,
  CallReservationRequest,
  CallWaiting,
  CancelLevel,
  ToolCallOutcome,
  ToolCallRequest,
} from '../ports/tool-registry.ts';
import type { Trial } from './call-breaker.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { quarantineReason } from './pinned-catalogue.ts';
import type { ConnectionLease } from './call-connections.ts';
import type { PooledServer } from './pooled-server.ts';
import { resourceResult } from './resource-tool.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ServerLife } from './server-life.ts';
import { isTaskCancelled } from './task-cancellation.ts';

/** `_meta` key of the idempotency key. */
const IDEMPOTENCY_KEY = 'dev.signalbox/idempotency-key';

/** More of a message than anybody reads: the rest need not be searched for secrets. */
const MAX_MESSAGE_CHARACTERS = 64 * 1024;

/** Waits until a call of a known tool may be sent, or may not be sent at all; never rejects. */
export async function reserveCall(
  server: PooledServer,
  { entry, request }: { readonly entry: CatalogueEntry; readonly request: CallReservationRequest },
  clock: Clock,
): Promise<CallReservation> {
  const granted =
    notOffered(server, { entry, request }) ??
    (server.breaker.status.state === 'open' ? keptFrom(server) : undefined) ??
    (await acquire(server, request));
  const release = (): void => {
    if (!('type' in granted)) granted.release();
  };
  return {
    call: async (sent) => {
      try {
        const outcome = await attempt({ server, granted, clock }, { entry, request: sent });
        return 'message' in outcome
          ? { ...outcome, message: server.mask(outcome.message.slice(0, MAX_MESSAGE_CHARACTERS)) }
          : outcome;
      } finally {
        release();
      }
    },
    release,
  };
}

interface Admitted {
  readonly server: PooledServer;
  /** The connection, or why the call may not be sent. */
  readonly granted: ConnectionLease | ToolCallOutcome;
  readonly clock: Clock;
}

async function attempt(
  { server, granted, clock }: Admitted,
  call: { readonly entry: CatalogueEntry; readonly request: ToolCallRequest },
): Promise<ToolCallOutcome> {
  const checked = checkArguments(call.entry, call.request);
  const refusal = checked instanceof Promise ? await checked : checked;
  if (refusal !== undefined) return refusal;
  if ('type' in granted) return granted;
  // The call may have waited for long.
  const lateRefusal = notOffered(server, call);
  if (lateRefusal !== undefined) return lateRefusal;
  const trial = server.breaker.begin();
  if (trial === undefined) return keptFrom(server);
  try {
    const outcome = await send({ server, life: granted.life, clock, trial }, call);
    if (outcome.type === 'result' && outcome.result.isError !== true) granted.answered();
    return outcome;
  } finally {
    trial.dropped();
  }
}

/** A tool that vanished from the list is called all the same if it was there when the call was made: its server knows best. */
function notOffered(
  server: PooledServer,
  { entry, request }: { readonly entry: CatalogueEntry; readonly request: CallReservationRequest },
): ToolCallOutcome | undefined {
  const isTask = request.resumeFrom !== undefined && 'taskId' in request.resumeFrom;
  const present = server.catalogue.entries.get(entry.tool.wireName);
  if (present?.changed !== undefined && !isTask)
    return { type: 'error', message: quarantineReason(present) };
  return server.isOffering ? undefined : notReady(server);
}

function keptFrom(server: PooledServer): ToolCallOutcome {
  const { state, failures, opensAgainAt = 0 } = server.breaker.status;
  const until =
    state === 'open'
      ? `no call is sent to it until ${new Date(opensAgainAt).toISOString()}`
      : 'one call is being tried now';
  return {
    type: 'not-sent',
    message: `server ${server.config.name} did not answer ${failures} calls in a row; ${until}`,
  };
}

/** At once for ordinary arguments. */
function checkArguments(
  { tool, validate }: CatalogueEntry,
  request: ToolCallRequest,
): ToolCallOutcome | undefined | Promise<ToolCallOutcome | undefined> {
  const uncheckable = (error: unknown): ToolCallOutcome => ({
    type: 'error',
    message: `tool ${tool.wireName} cannot be called: ${messageOf(error)}`,
  });
  try {
    const problem = validate(request.arguments);
    return problem instanceof Promise
      ? problem.then(argumentsRefused, uncheckable)
      : argumentsRefused(problem);
  } catch (error) {
    return uncheckable(error);
  }
}

function argumentsRefused(problem: string | undefined): ToolCallOutcome | undefined {
  return problem === undefined
    ? undefined
    : { type: 'result', result: { content: [{ type: 'text', text: problem }], isError: true } };
}

function notReady(server: PooledServer): ToolCallOutcome {
  const { state, error } = server.stage;
  return {
    type: 'not-sent',
    message: `server ${server.config.name} is ${state}${error === undefined ? '' : `: ${error}`}`,
  };
}

async function acquire(
  server: PooledServer,
  { wireName: tool, runId, callId, signal, maxTotalMs, onWaiting }: CallReservationRequest,
): Promise<ConnectionLease | ToolCallOutcome> {
  const granted = await server.acquire({
    runId,
    callId,
    tool,
    signal,
    limitMs: maxTotalMs,
    onWaiting,
  });
  if (typeof granted === 'object') return granted;
  // Nothing was sent, so nothing can be going on.
  if (granted === 'aborted') return { type: 'cancelled', level: 'confirmed' };
  if (granted === 'not-ready') return notReady(server);
  return {
    type: 'not-sent',
    message: `the connections to server ${server.config.name} were in use by other runs for ${seconds(maxTotalMs)}`,
  };
}

const QUESTION_HELD: CallWaiting = {
  reason: 'question_held',
  message:
    'the server asks a question that names no call while calls of several runs are in flight; it is answered when the calls of the other runs have ended',
};

interface Line {
  readonly server: PooledServer;
  readonly life: ServerLife;
  readonly clock: Clock;
  readonly trial: Trial;
}

async function send(
  line: Line,
  {
    entry: { tool, isResourceReader = false },
    request,
  }: { readonly entry: CatalogueEntry; readonly request: ToolCallRequest },
): Promise<ToolCallOutcome> {
  const { trial } = line;
  const { connection, router } = line.life;
  const meta = { [IDEMPOTENCY_KEY]: request.idempotencyKey };
  const call = {
    runId: request.runId,
    meta,
    questions: request.questions,
    onElicitationComplete: request.onElicitationComplete,
    onQuestion: () => trial.answered(),
    onQuestionHeld: () => request.onWaiting?.(QUESTION_HELD),
  };
  const parking = new Parking(
    { keeper: request.rounds, onAsked: () => trial.answered() },
    request.resumeFrom !== undefined && !('taskId' in request.resumeFrom),
  );
  const task = {
    taskId:
      request.resumeFrom !== undefined && 'taskId' in request.resumeFrom
        ? request.resumeFrom.taskId
        : undefined,
  };
  const onTask = (taskId: string): void => {
    task.taskId = taskId;
    request.onTask?.(taskId);
  };
  router.begin(call);
  try {
    const result = await start(
      connection.client,
      { name: tool.name, isResourceReader },
      { request: heardBy(trial, { ...request, onTask }), options: { meta, rounds: parking } },
    );
    router.end(call, 'answered');
    trial.answered();
    return { type: 'result', result };
  } catch (error) {
    // The server does nothing for a call that waits for an answer, and knows of none that is given up.
    if (parking.isParked && error instanceof LocalError && error.code === 'request-cancelled') {
      router.end(call, 'answered');
      return { type: 'cancelled', level: 'confirmed' };
    }
    const isGivenUp =
      error instanceof LocalError &&
      error.sent &&
      (error.code === 'request-cancelled' || error.code === 'request-timeout');
    router.end(call, isGivenUp ? 'given-up' : 'answered');
    const wasCancelled = error instanceof LocalError && error.code === 'request-cancelled';
    const { taskId } = task;
    if (
      wasCancelled &&
      taskId !== undefined &&
      (await isTaskCancelled({
        client: connection.client,
        taskId,
        clock: line.clock,
        graceMs: line.server.graceMs,
      }))
    ) {
      trial.answered();
      return { type: 'cancelled', level: 'confirmed' };
    }
    return outcomeOf(line, request, error);
  }
}

/** Whatever is heard of a call shows that its server answers. */
function heardBy(trial: Trial, request: ToolCallRequest): ToolCallRequest {
  const { onProgress, onTask } = request;
  const heard =
    <T>(listener: (news: T) => void) =>
    (news: T): void => {
      trial.answered();
      listener(news);
    };
  return {
    ...request,
    onProgress: heard(onProgress),
    ...(onTask === undefined ? {} : { onTask: heard(onTask) }),
  };
}

/** Sends the call, or goes on with it. */
async function start(
  client: ServerConnection['client'],
  { name, isResourceReader }: { readonly name: string; readonly isResourceReader: boolean },
  { request, options }: { readonly request: ToolCallRequest; readonly options: RequestOptions },
): Promise<CallToolResult> {
  const { resumeFrom, onTask, arguments: args } = request;
  const all: RequestOptions = {
    ...options,
    signal: request.signal,
    timeoutMs: request.inactivityMs,
    maxTotalMs: request.maxTotalMs,
    onProgress: request.onProgress,
    ...(onTask === undefined ? {} : { onTask: ({ taskId }) => onTask(taskId) }),
    // What can be a task is one: it outlives the connection, and this process.
    task: {},
  };
  if (isResourceReader)
    return resourceResult(
      await client.readResource(String(args['uri']), {
        ...options,
        signal: request.signal,
        timeoutMs: request.inactivityMs,
        maxTotalMs: request.maxTotalMs,
        onProgress: request.onProgress,
      }),
    );
  if (resumeFrom === undefined) return client.callTool(name, args, all);
  return 'taskId' in resumeFrom
    ? client.tasks.resume(resumeFrom.taskId, all)
    : client.callTool(name, args, { ...all, resumeFrom });
}

interface ParkingListeners {
  readonly keeper: InputRoundKeeper | undefined;
  readonly onAsked: () => void;
}

/** Knows whether a call waits for an answer; passes on what it hears. */
class Parking implements InputRoundKeeper {
  readonly #listeners: ParkingListeners;
  isParked: boolean;

  constructor(listeners: ParkingListeners, isParked: boolean) {
    this.#listeners = listeners;
    this.isParked = isParked;
  }

  async asked(asked: Parameters<InputRoundKeeper['asked']>[0]): Promise<void> {
    this.isParked = true;
    this.#listeners.onAsked();
    await this.#listeners.keeper?.asked(asked);
  }

  async answered(): Promise<void> {
    await this.#listeners.keeper?.answered();
    this.isParked = false;
  }
}

async function outcomeOf(
  line: Line,
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
          message: `server ${name} took nothing for ${seconds(request.inactivityMs)}`,
        };
      const level = await traceCancellation(line);
      return {
        type: 'lost',
        message: `${error.message}; it was cancelled (${LEVEL_TEXT[level]}), and whether it took effect is not known`,
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

/** @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling */
function refused(
  { server }: Line,
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
  // So a server answers that no longer has the tool.
  if (error.code === ErrorCode.invalidParams || error.code === ErrorCode.methodNotFound)
    server.refreshTools();
  return {
    type: 'error',
    message: `server ${name} answered with error ${error.code}: ${error.message}`,
  };
}

function disconnected({ server, life, trial }: Line, error: LocalError): ToolCallOutcome {
  const isRemote = life.connection.pid === undefined;
  // The end of a process is one failure, however many calls it takes along.
  trial.failed(isRemote ? undefined : life);
  if (isRemote) server.doubt(life);
  const isSent = error.sent && !isRefusedByHttp(error);
  return {
    type: isSent ? 'lost' : 'not-sent',
    message: `the connection to server ${server.config.name} ended: ${error.message}`,
  };
}

/** With these a server, or what stands before it, turns a request away before anything is done for it. */
function isRefusedByHttp({ cause }: LocalError): boolean {
  return (
    cause instanceof HttpError &&
    [401, 403, 404, 405, 407, 413, 415, 421, 429, 431].includes(cause.status)
  );
}

const LEVEL_TEXT: { readonly [L in CancelLevel]: string } = {
  sent: 'what the server makes of that is not known',
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
  const isRemote = connection.pid === undefined;
  try {
    await connection.client.ping({ timeoutMs: server.graceMs, maxTotalMs: server.graceMs });
  } catch (error) {
    // There is no process to end, and other calls have connections of their own.
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
    // An error of the server is an answer, too.
  }
  // Over HTTP each message goes its own way, and an answer to a later one tells nothing of an earlier one.
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

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
