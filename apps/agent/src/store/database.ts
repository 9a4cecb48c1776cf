import type { Generated } from 'kysely';
import type { FleetCommand } from '../ports/store/fleet.ts';
import type { Job } from '../ports/job-queue.ts';
import type { Priority } from '../ports/priority.ts';
import type { Artifact } from '../ports/store/artifact.ts';
import type { Epoch, StoredCatalogue } from '../ports/store/epoch.ts';
import type { UsedKey } from '../ports/store/idempotency.ts';
import type { ActiveTurn, StoredMessage } from '../ports/store/message.ts';
import type { AuditEntry, StoredAuditEntry } from '../ports/store/audit.ts';
import type { InboxItem } from '../ports/store/inbox.ts';
import type { RememberedApproval } from '../ports/store/approval.ts';
import type { SecretKind } from '../ports/store/secrets.ts';
import type { Run, RunLimits } from '../ports/store/run.ts';
import type { RunEvent } from '../ports/store/run-event.ts';
import type { ToolCall } from '../ports/store/tool-call.ts';
import { DamagedRowError } from '../ports/store/errors.ts';
import type { Agent, AgentVersion } from '../ports/store/agent.ts';
import type { Thread } from '../ports/store/thread.ts';
import type { ToolPin } from '../ports/tool-pins.ts';
import type { Schedule } from '../ports/store/schedule.ts';
import type { Webhook, WebhookDelivery } from '../ports/store/webhook.ts';
import type { Worker } from '../ports/store/worker.ts';

/** Column type of a domain value: JSON as text, booleans as 0 and 1, absence as NULL. */
type Column<T> =
  Extract<T, boolean> extends never
    ? undefined extends T
      ? Exclude<T, undefined> | null
      : T
    : number;
type Row<T, Json extends keyof T> = {
  [K in keyof T]-?: K extends Json
    ? undefined extends T[K]
      ? string | null
      : string
    : Column<T[K]>;
};

/** Parts of an agent that are stored as JSON. */
type AgentJson = 'servers' | 'limits' | 'modelSettings' | 'toolRules';

/** Columns of the fields of a run. */
export type RunColumns = Row<
  Run,
  | 'servers'
  | 'limits'
  | 'modelSettings'
  | 'toolRules'
  | 'metadata'
  | 'traceContext'
  | 'forkedFrom'
  | 'usage'
  | 'error'
  | 'modelOutage'
  | 'outputSchema'
  | 'output'
>;

/** Tables. Columns are snake_case in SQL. */
export interface Database {
  /**
   * `textCoversEnd`: `finishedAt` of the run as of its search text; -1 for a run without a search
   * text.
   */
  runs: RunColumns & { textCoversEnd: Generated<number | null> };
  /** Texts in which a run is searched, in the form of `foldText`. */
  runTexts: { runId: string; runCreatedAt: number; request: string; outcome: string };
  events: Row<RunEvent, 'data'>;
  messages: Row<StoredMessage, 'content' | 'native'> & { runId: string; position: number };
  turns: Row<ActiveTurn, never> & {
    runId: string;
    status: string;
    startedAt: number;
    endedAt: number | null;
  };
  partials: { runId: string; messageId: string; text: string };
  toolCalls: Row<ToolCall, 'arguments' | 'modelArguments' | 'result' | 'parked'>;
  /** `preview`: short form of a long request for lists. */
  inboxItems: Row<InboxItem, 'request' | 'response' | 'binding'> & { preview: string | null };
  rememberedApprovals: Row<RememberedApproval, never>;
  audit: Row<AuditEntry, never> & { seq: Generated<number>; at: number };
  samplingCounts: { runId: string; server: string; requests: number };
  threads: Row<Thread, 'metadata'>;
  agents: Row<Agent, AgentJson>;
  agentVersions: Row<AgentVersion, AgentJson>;
  idempotencyKeys: Row<UsedKey, 'response'>;
  artifacts: Row<Artifact, never>;
  artifactOwners: { runId: string; artifactId: string };
  schedules: Row<Schedule, 'run'>;
  webhooks: Row<Webhook, 'eventTypes'> & {
    secret: string;
    earlierSecrets: string | null;
    deletedAt: number | null;
  };
  webhookDeliveries: Row<WebhookDelivery, never>;
  workers: Row<Worker, never>;
  listedTools: { digest: string; tools: string };
  serverStates: {
    workerId: string;
    server: string;
    status: string;
    isOffering: number;
    capabilities: string | null;
    toolsDigest: string;
  };
  serverSettings: { server: string; roots: string | null; isDrained: number };
  fleetRequests: {
    id: string;
    workerId: string;
    server: string;
    kind: FleetCommand['kind'];
    params: string;
    createdAt: number;
    expiresAt: number;
    answer: string | null;
  };
  serverOwners: { server: string; workerId: string; claimedAt: number };
  secrets: {
    kind: SecretKind;
    name: string;
    sealed: string;
    keyId: string;
    revision: string;
    expiresAt: number | null;
  };
  secretLocks: { name: string; holder: string; expiresAt: number };
  handedJobs: {
    type: Job['type'];
    subject: string;
    priority: Priority;
    place: number;
    createdAt: number;
    /** The only worker that takes the job, unless it has ended. */
    workerId: string | null;
  };
  ratedCalls: {
    callId: string;
    attempt: number;
    server: string;
    arrivedAt: number;
    sentAt: number | null;
  };
  toolPins: Row<ToolPin, 'parts' | 'definition'>;
  toolSets: { digest: string; tools: string };
  epochs: Row<Omit<Epoch, 'tools'>, 'policies'> & { toolsDigest: string };
  catalogues: { runId: string; turn: number; point: StoredCatalogue['point']; toolsDigest: string };
}

/** Translates between a domain record and its row. */
export interface Codec<T, R> {
  /**
   * Encodes a record. A key with the value `undefined` becomes NULL; a missing key stays missing.
   */
  encode(record: T): R;
  encode(record: Partial<T>): Partial<R>;
  decode(row: R): T;
  /** Decodes a row for a list. Omits values that cannot be parsed and marks the record. */
  salvage(row: R): T;
  /** Decodes some columns of a row. */
  decode<K extends keyof R & keyof T>(row: Pick<R, K>): Pick<T, K>;
}

interface Special<T> {
  readonly json?: readonly (keyof T)[];
  readonly booleans?: readonly (keyof T)[];
  /** Values that a list shows in place of damaged columns. */
  readonly ifDamaged?: (columns: readonly string[]) => Partial<T>;
}

function createCodec<T extends object, R extends object>(special: Special<T>): Codec<T, R> {
  const json = new Set<PropertyKey>(special.json);
  const booleans = new Set<PropertyKey>(special.booleans);
  const encodeValue = (key: string, value: unknown): unknown => {
    if (value === undefined) return null;
    if (json.has(key)) return JSON.stringify(value);
    return booleans.has(key) ? Number(value) : value;
  };
  const decodeValue = (key: string, value: unknown): unknown => {
    if (value === null) return undefined;
    if (json.has(key) && typeof value === 'string') return parseColumn(key, value);
    return booleans.has(key) ? value === 1 : value;
  };
  const map = (record: object, mapValue: (key: string, value: unknown) => unknown): unknown => {
    const mapped: { [key: string]: unknown } = {};
    const values = record as { readonly [key: string]: unknown };
    for (const key in values) mapped[key] = mapValue(key, values[key]);
    return mapped;
  };
  return {
    // The casts hold because only rows from `encode` are stored.
    encode: (record: Partial<T>) => map(record, encodeValue) as R,
    salvage: (row: object) => {
      const damaged: string[] = [];
      const decoded = map(row, (key, value) => {
        try {
          return decodeValue(key, value);
        } catch {
          damaged.push(key);
          return undefined;
        }
      }) as T;
      return damaged.length === 0 ? decoded : { ...decoded, ...special.ifDamaged?.(damaged) };
    },
    decode: (row: object) => map(row, decodeValue) as T & Pick<T, never>,
  };
}

function parseColumn(column: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DamagedRowError(column, { cause: error });
  }
}

const NO_LIMITS: RunLimits = {
  turns: 0,
  toolCalls: 0,
  wallClockMs: 0,
  callInactivityMs: 0,
  callMaxMs: 0,
  inboxExpiryMs: 0,
};

function damagedText(columns: readonly string[]): string {
  return `The stored ${columns.join(', ')} cannot be read: the database was damaged or changed outside of the service.`;
}

function damagedRun(columns: readonly string[]): Partial<Run> {
  return {
    ...(columns.includes('limits') ? { limits: NO_LIMITS } : {}),
    ...(columns.includes('metadata') ? { metadata: {} } : {}),
    error: { code: 'damaged_row', message: damagedText(columns) },
  };
}

export const runCodec = createCodec<Run, RunColumns>({
  json: [
    'servers',
    'limits',
    'modelSettings',
    'toolRules',
    'metadata',
    'traceContext',
    'forkedFrom',
    'usage',
    'error',
    'modelOutage',
    'outputSchema',
    'output',
  ],
  booleans: ['scripted'],
  ifDamaged: damagedRun,
});
export const eventCodec = createCodec<RunEvent, Database['events']>({
  json: ['data'],
  ifDamaged: () => ({ data: {} }),
});
export const messageCodec = createCodec<StoredMessage, Row<StoredMessage, 'content' | 'native'>>({
  json: ['content', 'native'],
});
export const toolCallCodec = createCodec<ToolCall, Database['toolCalls']>({
  json: ['arguments', 'modelArguments', 'result', 'parked'],
  booleans: ['repeatable'],
  ifDamaged: (columns) => ({
    ...(columns.includes('arguments') ? { arguments: {} } : {}),
    error: damagedText(columns),
  }),
});
export const inboxCodec = createCodec<InboxItem, Omit<Database['inboxItems'], 'preview'>>({
  json: ['request', 'response', 'binding'],
  ifDamaged: (columns) =>
    columns.includes('request') ? { request: { message: damagedText(columns) } } : {},
});
export const rememberedApprovalCodec = createCodec<
  RememberedApproval,
  Database['rememberedApprovals']
>({});
export const auditCodec = createCodec<
  Omit<StoredAuditEntry, 'seq'>,
  Row<Omit<StoredAuditEntry, 'seq'>, never>
>({});
export const storedAuditCodec = createCodec<StoredAuditEntry, Row<StoredAuditEntry, never>>({});
export const threadCodec = createCodec<Thread, Database['threads']>({ json: ['metadata'] });
const AGENT_JSON: readonly AgentJson[] = ['servers', 'limits', 'modelSettings', 'toolRules'];
export const agentCodec = createCodec<Agent, Database['agents']>({ json: AGENT_JSON });
export const agentVersionCodec = createCodec<AgentVersion, Database['agentVersions']>({
  json: AGENT_JSON,
});
export const usedKeyCodec = createCodec<UsedKey, Database['idempotencyKeys']>({
  json: ['response'],
  booleans: ['isDone'],
});
export const artifactCodec = createCodec<Artifact, Database['artifacts']>({});
export const toolPinCodec = createCodec<ToolPin, Database['toolPins']>({
  json: ['parts', 'definition'],
});
export const webhookCodec = createCodec<Webhook, Row<Webhook, 'eventTypes'>>({
  json: ['eventTypes'],
});
export const deliveryCodec = createCodec<WebhookDelivery, Database['webhookDeliveries']>({});
export const scheduleCodec = createCodec<Schedule, Database['schedules']>({
  json: ['run'],
  booleans: ['enabled'],
});
