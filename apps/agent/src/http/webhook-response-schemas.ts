import * as z from 'zod';
import { time } from './response-schemas.ts';
import { EventType, DeliveryState } from './webhook-schemas.ts';

const webhook = {
  id: z.string(),
  url: z.string(),
  event_types: z.array(EventType),
  description: z.string().optional(),
  state: z
    .enum(['enabled', 'disabled'])
    .describe(
      'disabled: by a client, or because the endpoint answered with status 410; nothing is sent',
    ),
  disabled_at: time.optional(),
  created_at: time,
};

export const Webhook = z.object(webhook).meta({ id: 'Webhook' });

export const CreatedWebhook = z
  .object({
    ...webhook,
    secret: z
      .string()
      .optional()
      .describe(
        'New secret that signs the requests (Standard Webhooks, `whsec_…`). Returned only here, and left out when the request is repeated with its idempotency key',
      ),
  })
  .meta({ id: 'CreatedWebhook' });

export const WebhookList = z
  .object({ data: z.array(Webhook), next_cursor: z.string().optional() })
  .meta({ id: 'WebhookList' });

export const WebhookDelivery = z
  .object({
    id: z.string(),
    webhook_id: z.string(),
    event_id: z.string().describe('`webhook-id` header of every attempt: `RUN_ID:SEQ`'),
    run_id: z.string(),
    seq: z.int().describe('`seq` of the event in its run'),
    type: EventType,
    state: DeliveryState,
    attempts: z.int().describe('Attempts so far; one in progress counts'),
    next_attempt_at: time.optional(),
    last_status: z.int().optional().describe('HTTP status of the last response'),
    last_error: z.string().optional().describe('Reason of the last failure'),
    created_at: time,
    finished_at: time.optional(),
  })
  .meta({ id: 'WebhookDelivery' });

export const WebhookDeliveryList = z
  .object({ data: z.array(WebhookDelivery), next_cursor: z.string().optional() })
  .meta({ id: 'WebhookDeliveryList' });
