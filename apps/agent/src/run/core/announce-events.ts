import type { JsonObject } from '@signalbox/mcp-core';
import type { RunEvent } from '../../ports/store/run-event.ts';
import type { StoreTransaction } from '../../ports/store.ts';
import {
  WEBHOOK_EVENT_TYPES,
  type WebhookDelivery,
  type WebhookEventType,
} from '../../ports/store/webhook.ts';
import { eventBody, type RunEventBody } from './events.ts';

/**
 * Stores a delivery for each webhook that announces one of the events, in the transaction of the
 * events. Returns whether it stored any.
 */
export async function announceEvents(
  sql: StoreTransaction,
  events: readonly RunEvent[],
  newId: () => string,
): Promise<boolean> {
  const announced = events.flatMap((event) =>
    isAnnounced(event.type) ? [{ ...event, type: event.type }] : [],
  );
  if (announced.length === 0) return false;
  const subscriptions = await sql.webhookSubscriptions();
  const deliveries = subscriptions.flatMap(({ id: webhookId, eventTypes }) =>
    announced
      .filter(({ type }) => eventTypes.includes(type))
      .map((event): WebhookDelivery => ({
        id: newId(),
        webhookId,
        runId: event.runId,
        seq: event.seq,
        type: event.type,
        payload: payloadOf(event),
        state: 'pending',
        attempts: 0,
        earlierAttempts: 0,
        nextAt: event.at,
        owner: undefined,
        lastStatus: undefined,
        lastError: undefined,
        createdAt: event.at,
        finishedAt: undefined,
      })),
  );
  await sql.insertDeliveries(deliveries);
  return deliveries.length > 0;
}

const ANNOUNCED: ReadonlySet<string> = new Set(WEBHOOK_EVENT_TYPES);

function isAnnounced(type: string): type is WebhookEventType {
  return ANNOUNCED.has(type);
}

/**
 * Returns the body of a request: ids, kinds and codes, and no text of a user, a model or a tool.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#payload-structure
 */
function payloadOf(event: RunEvent): string {
  return JSON.stringify({
    type: event.type,
    timestamp: new Date(event.at).toISOString(),
    data: { run_id: event.runId, seq: event.seq, ...detailsOf(eventBody(event)) },
  });
}

function detailsOf({ type, data }: RunEventBody): JsonObject {
  switch (type) {
    case 'run.queued':
      return {
        kind: data.kind,
        ...(data.thread_id === undefined ? {} : { thread_id: data.thread_id }),
        ...(data.agent_id === undefined ? {} : { agent_id: data.agent_id }),
      };
    case 'run.input_required':
      return { inbox_item_ids: [...data.inbox_item_ids] };
    case 'run.resumed':
      return { reason: data.reason };
    case 'run.failed':
    case 'run.expired':
      return { error_code: data.error.code };
    case 'inbox.opened':
    case 'inbox.answered':
    case 'inbox.expired':
    case 'inbox.void':
      return {
        inbox_item_id: data.inbox_item_id,
        kind: data.kind,
        ...(data.call_id === undefined ? {} : { call_id: data.call_id }),
      };
    default:
      return {};
  }
}
