import type { Clock } from '../ports/clock.ts';
import type {
  CallReservation,
  CallReservationRequest,
  ToolCallOutcome,
  ToolCallRequest,
} from '../ports/tool-dispatcher.ts';
import type { ConnectionLease } from './call-lease.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { messageOf, seconds } from '../text/error-text.ts';
import { quarantineReason } from './pinned-catalogue.ts';
import type { PooledServer } from './pooled-server.ts';
import { sendCall } from './send-call.ts';

/** Longer error texts are truncated before secrets are masked in them. */
const MAX_MESSAGE_CHARACTERS = 64 * 1024;

/** Waits for a connection on which a call of a known tool may be sent. Never rejects: a refusal is the outcome of the call. */
export async function reserveCall(
  server: PooledServer,
  { entry, request }: { readonly entry: CatalogueEntry; readonly request: CallReservationRequest },
  clock: Clock,
): Promise<CallReservation> {
  const granted =
    notOffered(server, { entry, request }) ??
    (server.breaker.status.state === 'open' ? breakerRefusal(server) : undefined) ??
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
  /** Lease of a connection, or the outcome of a call that may not be sent. */
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
  // The server may have changed while the call waited for a connection.
  const lateRefusal = notOffered(server, call);
  if (lateRefusal !== undefined) return lateRefusal;
  const trial = server.breaker.begin();
  if (trial === undefined) return breakerRefusal(server);
  try {
    const outcome = await sendCall({ server, life: granted.life, clock, trial }, call);
    if (outcome.type === 'result' && outcome.result.isError !== true) granted.answered();
    return outcome;
  } finally {
    trial.dropped();
  }
}

/** Returns the refusal of a quarantined tool or of a server without a connection. A tool that has left the server's list is still called. */
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

function breakerRefusal(server: PooledServer): ToolCallOutcome {
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

/** Returns the outcome of a call with invalid arguments. Asynchronous only for schemas that a worker thread evaluates. */
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
  const { neededLogin: login } = server;
  return {
    type: 'not-sent',
    ...(login === undefined ? {} : { login }),
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
  // Nothing was sent, so there is nothing to cancel.
  if (granted === 'aborted') return { type: 'cancelled', level: 'confirmed' };
  if (granted === 'not-ready') return notReady(server);
  return {
    type: 'not-sent',
    message: `the connections to server ${server.config.name} were in use by other runs for ${seconds(maxTotalMs)}`,
  };
}
