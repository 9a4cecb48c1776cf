import type { CallToolResult } from '@signalbox/mcp-core';
import type { LoginRequest } from '@signalbox/mcp-core/auth';
import type * as z from 'zod';
import type { RateLine } from '../ports/store/call-rate.ts';
import type { Listed } from '../ports/store/list.ts';
import type { LlmProviders } from '../ports/llm-providers.ts';
import type { ModelOutage, Run as StoredRun } from '../ports/store/run.ts';
import type { Page, PageOptions } from '../ports/store/page.ts';
import type { InboxItem as StoredItem } from '../ports/store/inbox.ts';
import type { RunEvent as StoredEvent } from '../ports/store/run-event.ts';
import type { ToolCall as StoredCall } from '../ports/store/tool-call.ts';
import type { ServerDefinitions } from '../ports/server-definitions.ts';
import type { PinnedTool as Pin } from '../ports/server-directory.ts';
import type { CatalogueTool, ServerStatus } from '../ports/tool-catalogue.ts';
import { artifactIdOf } from '../run/results/artifacts.ts';
import { fieldsOf } from '../run/input/elicitation-form.ts';
import { modelSettingsData } from '../run/core/model-settings.ts';
import { modelNotice } from '../run/core/run-model.ts';
import { toolRulesData } from '../run/core/tool-rules.ts';
import { previewOf } from '../run/core/events.ts';
import type { FormField as Field } from '../run/input/form-field.ts';
import { runLimitsData } from '../run/limits/limits-data.ts';
import { usageData } from '../run/limits/usage.ts';
import {
  MAX_LISTED_CHARACTERS,
  shortenObject,
  shortenText,
  type Shortened,
} from '../json/short-json.ts';
import type { ToolCall } from './call-response-schemas.ts';
import type { CallWaits } from './call-waits.ts';
import type { RunEvent } from './event-response-schemas.ts';
import type { FormField, InboxItem } from './inbox-response-schemas.ts';
import type { NeededLogin } from './login-response-schemas.ts';
import type { Run } from './run-response-schemas.ts';
import type { PinnedTool, Server, Tool } from './server-response-schemas.ts';

const iso = (time: number): string => new Date(time).toISOString();

/** Excludes undefined members, as JSON does. */
type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function defined<T extends object>(members: T): Partial<Defined<T>> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Partial<Defined<T>>;
}

const optionalTime = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : iso(time);

export function runView(
  run: StoredRun & Partial<Listed<object>>,
  openItems: readonly Listed<StoredItem>[],
  llm: LlmProviders,
): z.output<typeof Run> {
  return {
    id: run.id,
    kind: run.kind,
    status: run.status,
    priority: run.priority,
    api_key: run.apiKey,
    prompt: run.prompt,
    scripted: run.scripted,
    limits: runLimitsData(run),
    metadata: { ...run.metadata },
    last_seq: run.lastSeq,
    turns: run.turns,
    tool_calls: run.toolCalls,
    inbox: openItems.map(listedItemView),
    created_at: iso(run.createdAt),
    ...defined({
      ...(run.kind === 'call' ? {} : { provider: run.provider, model: run.model }),
      ...modelSettingsData(run.modelSettings),
      status_reason: run.statusReason,
      servers: run.servers === undefined ? undefined : [...run.servers],
      ...toolRulesData(run.toolRules),
      thread_id: run.threadId,
      agent_id: run.agentId,
      agent_version: run.agentVersion,
      instructions: run.instructions,
      forked_from:
        run.forkedFrom === undefined
          ? undefined
          : { run_id: run.forkedFrom.runId, turn: run.forkedFrom.turn },
      notice: modelNotice(llm, run),
      usage: run.usage === undefined ? undefined : usageData(run.usage),
      answer: run.answer,
      output_schema: run.outputSchema,
      output: run.output,
      error: run.error,
      model_outage: run.modelOutage === undefined ? undefined : outageView(run.modelOutage),
      started_at: optionalTime(run.startedAt),
      finished_at: optionalTime(run.finishedAt),
      is_shortened: run.isShortened === true ? (true as const) : undefined,
    }),
  };
}

function outageView({
  since,
  attempts,
  nextAttemptAt,
  error,
}: ModelOutage): NonNullable<z.output<typeof Run>['model_outage']> {
  return { since: iso(since), attempts, next_attempt_at: iso(nextAttemptAt), error };
}

export function eventView(event: StoredEvent): z.output<typeof RunEvent> {
  return {
    run_id: event.runId,
    seq: event.seq,
    type: event.type,
    version: event.version,
    at: iso(event.at),
    data: event.data,
  };
}

export function inboxItemView(item: StoredItem): z.output<typeof InboxItem> {
  return {
    id: item.id,
    run_id: item.runId,
    kind: item.kind,
    state: item.state,
    request: item.request,
    created_at: iso(item.createdAt),
    expires_at: iso(item.expiresAt),
    ...(item.kind === 'elicitation_form' ? { fields: fieldsOf(item.request).map(fieldView) } : {}),
    ...defined({
      call_id: item.callId,
      response: item.response,
      answered_at: optionalTime(item.answeredAt),
    }),
  };
}

/** Returns an item of a list. A truncated form has no fields. */
export function listedItemView({
  isShortened,
  ...item
}: Listed<StoredItem>): z.output<typeof InboxItem> {
  if (!isShortened) return inboxItemView(item);
  const { fields: _fields, ...view } = inboxItemView(item);
  return { ...view, is_shortened: true };
}

function fieldView({
  name,
  type,
  required,
  minLength,
  maxLength,
  minItems,
  maxItems,
  ...same
}: Field): z.output<typeof FormField> {
  const { choices, default: initial, ...texts } = same;
  return {
    name,
    type,
    required,
    ...texts,
    ...(initial === undefined
      ? {}
      : { default: typeof initial === 'object' ? [...initial] : initial }),
    ...(choices === undefined ? {} : { choices: choices.map((choice) => ({ ...choice })) }),
    ...defined({
      min_length: minLength,
      max_length: maxLength,
      min_items: minItems,
      max_items: maxItems,
    }),
  };
}

/** Returns a tool call. `waits` has the reason why it waits. */
export function toolCallView(
  call: StoredCall,
  waits: CallWaits = new Map(),
): z.output<typeof ToolCall> {
  const waiting = waits.get(call.id);
  return {
    id: call.id,
    run_id: call.runId,
    turn: call.turn,
    name: call.wireName,
    tool: call.tool,
    arguments: call.arguments,
    state: call.state,
    attempt: call.attempt,
    idempotency_key: call.idempotencyKey,
    created_at: iso(call.createdAt),
    ...(waiting === undefined
      ? {}
      : {
          waiting: { reason: waiting.reason, message: waiting.message, since: iso(waiting.since) },
        }),
    ...defined({
      server: call.server === '' ? undefined : call.server,
      result: call.result,
      artifact_id: call.result && artifactIdOf(call.result),
      error: call.error,
      cancel: call.cancel,
      finished_at: optionalTime(call.finishedAt),
    }),
  };
}

/** Returns a call of a list, with long arguments and results truncated. */
export function listedCallView(call: StoredCall, waits: CallWaits): z.output<typeof ToolCall> {
  const args = shortenObject(call.arguments);
  const result = call.result === undefined ? undefined : shortResult(call.result);
  const error = call.error === undefined ? undefined : shortenText(call.error);
  const view = toolCallView({ ...call, arguments: args.value, error: error?.value }, waits);
  const isShortened =
    args.isShortened || result?.isShortened === true || error?.isShortened === true;
  return {
    ...view,
    ...(result === undefined ? {} : { result: result.value }),
    ...(isShortened ? { is_shortened: true } : {}),
  };
}

/** Returns the text of a long result, truncated. */
function shortResult(result: CallToolResult): Shortened<unknown> {
  if (JSON.stringify(result).length <= MAX_LISTED_CHARACTERS)
    return { value: result, isShortened: false };
  const { text, is_error: isError } = previewOf(result);
  return {
    value: {
      content: [{ type: 'text', text: shortenText(text).value }],
      ...(isError ? { isError } : {}),
    },
    isShortened: true,
  };
}

/** Returns a server. `line` has the calls that wait for its rate limit. */
/** Facts about a server that its connection does not know. */
interface ServerFacts {
  readonly line: RateLine | undefined;
  readonly definition: ReturnType<ServerDefinitions['describe']>;
}

export function serverView(
  status: ServerStatus,
  { line, definition }: ServerFacts,
): z.output<typeof Server> {
  const { breaker } = status;
  return {
    name: status.name,
    transport: status.transport,
    state: status.state,
    health: healthOf(status),
    breaker: breaker.state,
    breaker_failures: breaker.failures,
    tool_count: status.toolCount,
    quarantined: [...status.quarantined],
    roots: [...status.roots],
    warnings: [...status.warnings],
    connections: status.connections.map(({ pid, calls, runs, openInputRequests, retiring }) => ({
      calls,
      run_ids: [...runs],
      open_questions: openInputRequests,
      ...defined({ pid, retiring }),
    })),
    waiting_calls: status.waiting.map(({ runId, callId, reason, message, since }) => ({
      run_id: runId,
      reason,
      message,
      since: iso(since),
      ...defined({ call_id: callId }),
    })),
    since: iso(status.since),
    restarts: status.restarts,
    ...defined({
      definition: definition && {
        source: definition.source,
        editable: definition.isEditable,
      },
      rate_limited: line && { calls: line.calls, next_at: iso(line.nextAt) },
      configured_name: status.configuredName,
      login: status.login && neededLoginView(status.login),
      opens_again_at: optionalTime(breaker.opensAgainAt),
      era: status.era,
      protocol_version: status.protocolVersion,
      server_info: status.serverInfo,
      error: status.error,
      pid: status.pid,
      workers: status.workers?.map(({ workerId, state, since, error }) => ({
        id: workerId,
        state,
        since: iso(since),
        ...defined({ error }),
      })),
    }),
  };
}

function neededLoginView(login: LoginRequest): z.output<typeof NeededLogin> {
  const { issuer, resource, scopes, challengedScopes, reason, methods } = login;
  return {
    issuer,
    resource,
    scopes: [...scopes],
    required_scopes: [...challengedScopes],
    reason: REASONS[reason],
    methods: [...methods],
  };
}

const REASONS = {
  'no-tokens': 'no_tokens',
  'tokens-refused': 'tokens_refused',
  'refresh-refused': 'refresh_refused',
  'insufficient-scope': 'insufficient_scope',
} as const;

function healthOf({ state, breaker, quarantined }: ServerStatus): 'ok' | 'degraded' | 'down' {
  if (state !== 'ready') return 'down';
  return breaker.state === 'closed' && quarantined.length === 0 ? 'ok' : 'degraded';
}

export function pinView({
  tool,
  digest,
  firstSeenAt,
  acceptedAt,
  quarantined,
}: Pin): z.output<typeof PinnedTool> {
  return {
    tool,
    digest,
    first_seen_at: iso(firstSeenAt),
    ...defined({
      accepted_at: optionalTime(acceptedAt),
      quarantined:
        quarantined === undefined
          ? undefined
          : {
              digest: quarantined.digest,
              changed: [...quarantined.changed],
              definition: quarantined.definition,
              ...defined({ pinned_definition: quarantined.pinnedDefinition }),
            },
    }),
  };
}

export function toolView(tool: CatalogueTool): z.output<typeof Tool> {
  return {
    name: tool.wireName,
    server: tool.server,
    tool: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
    annotations: { ...tool.annotations },
    trusted: tool.trusted,
    ...defined({ title: tool.title, output_schema: tool.outputSchema }),
  };
}

/** Returns a page of a list in its wire form. */
export function pageOf<T, View>(
  { data, nextCursor }: Page<T>,
  view: (each: T) => View,
): { data: View[]; next_cursor?: string } {
  return { data: data.map(view), ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) };
}

/** Returns the page options of a query. */
export function pageOptions({
  limit,
  cursor,
}: {
  readonly limit: number;
  readonly cursor?: string | undefined;
}): PageOptions {
  return { limit, ...(cursor === undefined ? {} : { cursor }) };
}
