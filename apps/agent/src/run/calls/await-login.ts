import type { LoginRequest } from '@signalbox/mcp-core/auth';
import type { JsonObject } from '@signalbox/mcp-core';
import type { InboxEntry } from '../../ports/store/progress.ts';
import type { Run } from '../../ports/store/run.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { StoreTransaction } from '../../ports/store.ts';
import type { ServerStatus } from '../../ports/tool-catalogue.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { openItem } from '../ledger/inbox-items.ts';
import { failCall, moveCall, retryCall } from '../ledger/call-states.ts';
import { isParked } from './parked-calls.ts';

type Parts = Uses<'workerId' | 'enqueue' | 'clock' | 'newId' | 'sweep' | 'bus'>;

/** Maximum number of logins that a person is asked for during one call. */
const MAX_LOGINS = 3;

/** A call that its server refuses until a person logs in. */
export interface RefusedCall {
  readonly call: ToolCall;
  readonly login: LoginRequest;
  readonly message: string;
}

/**
 * Keeps a refused call until a person has logged in, and opens an inbox item for that. Fails the call
 * when the server has asked for too many logins.
 */
export async function awaitLogin(
  context: Parts,
  change: Change,
  { call, login, message }: RefusedCall,
): Promise<void> {
  const items = await change.sql.inboxItems({ runId: change.runId, callId: call.id });
  const asked = items.filter(({ kind }) => kind === 'server_login');
  const isOpen = asked.some(({ state }) => state === 'open');
  if (!isOpen && asked.length >= MAX_LOGINS) {
    const text = `The call could not be sent: after ${MAX_LOGINS} logins the server still asks for one (${message}).`;
    await failCall(context, change, { call, message: text });
    return;
  }
  const run = await change.sql.runCore(change.runId);
  const delayMs = run?.limits.inboxExpiryMs ?? 0;
  const dueAt = context.clock.now() + delayMs;
  const { id, attempt } = call;
  // Nothing is enqueued: the login does it, or the item expires.
  if (isParked(call))
    await moveCall(change.sql, { id, attempt }, { transition: 'release', owner: undefined, dueAt });
  else {
    const data = { reason: 'login_required', message, delay_ms: delayMs } as const;
    if (!(await retryCall(context, change, call, data))) return;
  }
  if (isOpen) return;
  await openItem(context, change, {
    id: context.newId(),
    kind: 'server_login',
    call,
    request: requestOf(login, message),
    isHeldHere: false,
  });
}

/** Sends a call again that waited for a login. */
export async function sendAfterLogin(
  context: Uses<'enqueue' | 'clock'>,
  change: Change,
  call: ToolCall,
): Promise<void> {
  const { id, attempt } = call;
  const isDue = isParked(call)
    ? await moveCall(
        change.sql,
        { id, attempt },
        { transition: 'release', owner: undefined, dueAt: undefined },
      )
    : call.state === 'planned' &&
      (await retryCall(context, change, call, {
        reason: 'logged_in',
        message: undefined,
        delay_ms: 0,
      }));
  if (isDue) change.afterCommit(() => context.enqueue({ type: 'call-tool', callId: id }));
}

/** Whether a call waits for a login. Reads nothing for the usual call, which is due. */
export async function isAwaitingLogin(
  { clock }: Uses<'clock'>,
  sql: Pick<StoreTransaction, 'inboxEntries'>,
  { id, runId, dueAt = 0 }: ToolCall,
): Promise<boolean> {
  if (dueAt <= clock.now()) return false;
  const open = await sql.inboxEntries({ runId, callId: id, states: ['open'] });
  return loginWaits(open).has(id);
}

/** Returns the ids of the calls that wait for a login, according to the open items of their run. */
export function loginWaits(open: readonly InboxEntry[]): ReadonlySet<string> {
  const items = open.filter(({ kind }) => kind === 'server_login');
  return new Set(items.flatMap(({ callId }) => callId ?? []));
}

/**
 * Opens an inbox item for each server that a run names and that needs a login, unless the run asked
 * for it before. Returns whether the run waits.
 */
export async function awaitServerLogins(
  context: Parts & Uses<'dispatcher'>,
  change: Change,
  { id: runId, servers = [] }: Pick<Run, 'id' | 'servers'>,
): Promise<boolean> {
  const needed = context.dispatcher
    .servers()
    .filter(({ name, login }) => login !== undefined && servers.includes(name))
    .filter(({ state }) => state === 'needs_login');
  if (needed.length === 0) return false;
  const items = await change.sql.inboxItems({ runId });
  const asked = new Set(
    items.filter(({ kind }) => kind === 'server_login').map(({ request }) => request['server']),
  );
  let isWaiting = false;
  for (const server of needed.filter(({ name }) => !asked.has(name))) {
    await openServerItem(context, change, server);
    isWaiting = true;
  }
  return isWaiting;
}

async function openServerItem(
  context: Parts,
  change: Change,
  { name, login, error = 'the server needs a login' }: ServerStatus,
): Promise<void> {
  if (login === undefined) return;
  await openItem(context, change, {
    id: context.newId(),
    kind: 'server_login',
    call: undefined,
    request: { server: name, ...requestOf(login, error) },
    isHeldHere: false,
  });
}

function requestOf(login: LoginRequest, message: string): JsonObject {
  const { issuer, resource, scopes, challengedScopes, reason, methods } = login;
  return {
    message,
    issuer,
    resource,
    scopes: [...scopes],
    required_scopes: [...challengedScopes],
    reason: reason.replaceAll('-', '_'),
    methods: [...methods],
  };
}
