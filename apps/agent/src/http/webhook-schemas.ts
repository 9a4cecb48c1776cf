import * as z from 'zod';
import { WEBHOOK_EVENT_TYPES } from '../ports/store/webhook.ts';
import { ListQuery } from './schemas.ts';

export const EventType = z.enum(WEBHOOK_EVENT_TYPES);

const Url = z
  .string()
  .min(1)
  .max(2048)
  .describe(
    'https: URL at a public address, without user name and password; other addresses only if the configuration allows their network',
  );

const EventTypes = z.array(EventType).min(1).max(WEBHOOK_EVENT_TYPES.length);

const Description = z.string().trim().min(1).max(200);

export const NewWebhook = z
  .strictObject({
    url: Url,
    event_types: EventTypes.default([
      'run.input_required',
      'run.completed',
      'run.failed',
      'run.cancelled',
      'run.expired',
    ]).describe('Events to announce; default: the ends of runs and `run.input_required`'),
    description: Description.optional(),
  })
  .meta({
    id: 'NewWebhook',
    examples: [{ url: 'https://example.com/signalbox', event_types: ['run.completed'] }],
  });

export const WebhookPatch = z
  .strictObject({
    url: Url.optional(),
    event_types: EventTypes.optional().describe('Events to announce from now on'),
    description: Description.nullable().optional().describe('null removes it'),
    enabled: z
      .boolean()
      .optional()
      .describe(
        'false: nothing more is sent, and pending deliveries end as dead. true: events are announced from now on, also after status 410',
      ),
  })
  .meta({ id: 'WebhookPatch', examples: [{ event_types: ['run.failed'], enabled: true }] });

/** Longest time in seconds for which a replaced secret stays valid. */
const MAX_OVERLAP_SECONDS = 30 * 86_400;

export const SecretRotation = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(MAX_OVERLAP_SECONDS)
      .default(86_400)
      .describe(
        'Seconds for which requests are also signed with the secret before this one; 0 ends it and earlier ones at once',
      ),
  })
  .meta({ id: 'SecretRotation', examples: [{ overlap_seconds: 3600 }] });

export const DeliveryState = z
  .enum(['pending', 'delivered', 'dead'])
  .describe('pending: waits for its first or next attempt; dead: the last attempt failed');

export const DeliveryQuery = ListQuery.extend({ state: DeliveryState.optional() });

export const DeliveryParameters = z.object({
  id: z.string().min(1).max(100),
  delivery_id: z.string().min(1).max(100),
});
