import * as z from 'zod';
import type { CreatedWebhook as Created } from '../ports/webhook-commands.ts';
import {
  eventIdOf,
  type Webhook as StoredWebhook,
  type WebhookDelivery as StoredDelivery,
} from '../ports/store/webhook.ts';
import { KeyHeaders, replyWith } from './idempotency.ts';
import { Problem } from './problem.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { IdParameters, ListQuery, ProblemDetails } from './schemas.ts';
import { pageOf } from './views.ts';
import {
  CreatedWebhook,
  DeliveryParameters,
  DeliveryQuery,
  NewWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
} from './webhook-schemas.ts';

const problem = { 400: ProblemDetails, 404: ProblemDetails };

/** Creating, reading and deleting webhooks, and their deliveries. */
export function webhookRoutes(app: HttpApp, { webhooks, read, once }: RouteDependencies): void {
  const existing = async (id: string): Promise<StoredWebhook> => {
    const webhook = await read.webhook(id);
    if (webhook === undefined)
      throw new Problem(
        'webhook_not_found',
        `no webhook has the id "${id}"; GET /v1/webhooks lists them`,
      );
    return webhook;
  };

  app.post(
    '/v1/webhooks',
    {
      schema: {
        summary: 'Create a webhook',
        description: 'Announces events from now on to a URL, in signed requests.',
        headers: KeyHeaders,
        body: NewWebhook,
        response: { 201: CreatedWebhook, 400: ProblemDetails, 409: ProblemDetails },
      },
    },
    async (request, reply) => {
      const { url, event_types: eventTypes, description } = request.body;
      let secret: string | undefined;
      const served = await once(request, {
        make: async (onCommit) => {
          const created = await webhooks.create(
            { url, eventTypes: Array.from(new Set(eventTypes)), description },
            onCommit,
          );
          secret = created.secret;
          return created;
        },
        answer: ({ webhook }: Created) => ({
          status: 201,
          location: `/v1/webhooks/${webhook.id}`,
          // Stored with the idempotency key, so the secret is added below.
          body: webhookView(webhook),
        }),
      });
      const body = replyWith(reply, served);
      return secret === undefined ? body : { ...body, secret };
    },
  );

  app.get(
    '/v1/webhooks',
    {
      schema: {
        summary: 'List webhooks, newest first',
        querystring: ListQuery,
        response: { 200: WebhookList, 400: ProblemDetails },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query;
      return pageOf(
        await read.webhooks({ limit, ...(cursor === undefined ? {} : { cursor }) }),
        webhookView,
      );
    },
  );

  app.get(
    '/v1/webhooks/:id',
    {
      schema: {
        summary: 'Get a webhook',
        params: IdParameters,
        response: { 200: Webhook, ...problem },
      },
    },
    async (request) => webhookView(await existing(request.params.id)),
  );

  app.delete(
    '/v1/webhooks/:id',
    {
      schema: {
        summary: 'Delete a webhook with its deliveries',
        params: IdParameters,
        response: { 204: z.null(), ...problem },
      },
    },
    async (request, reply) => {
      await webhooks.delete(request.params.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      schema: {
        summary: 'List the deliveries of a webhook, newest first',
        params: IdParameters,
        querystring: DeliveryQuery,
        response: { 200: WebhookDeliveryList, ...problem },
      },
    },
    async (request) => {
      const { id: webhookId } = await existing(request.params.id);
      const { limit, cursor, state } = request.query;
      return pageOf(
        await read.deliveries({
          webhookId,
          limit,
          ...(cursor === undefined ? {} : { cursor }),
          ...(state === undefined ? {} : { state }),
        }),
        deliveryView,
      );
    },
  );

  app.post(
    '/v1/webhooks/:id/deliveries/:delivery_id/resend',
    {
      schema: {
        summary: 'Send a delivery again that has ended',
        description: 'The request has the same id and body, and a new series of attempts.',
        params: DeliveryParameters,
        headers: KeyHeaders,
        response: { 202: WebhookDelivery, ...problem, 409: ProblemDetails },
      },
    },
    async (request, reply) => {
      const { id: webhookId, delivery_id: id } = request.params;
      const served = await once(request, {
        make: (onCommit) => webhooks.resend({ webhookId, id }, onCommit),
        answer: (delivery: StoredDelivery) => ({ status: 202, body: deliveryView(delivery) }),
      });
      return replyWith(reply, served);
    },
  );
}

const iso = (time: number): string => new Date(time).toISOString();

function webhookView({
  id,
  url,
  eventTypes,
  description,
  disabledAt,
  createdAt,
}: StoredWebhook): z.output<typeof Webhook> {
  return {
    id,
    url,
    event_types: [...eventTypes],
    ...(description === undefined ? {} : { description }),
    state: disabledAt === undefined ? 'enabled' : 'disabled',
    ...(disabledAt === undefined ? {} : { disabled_at: iso(disabledAt) }),
    created_at: iso(createdAt),
  };
}

function deliveryView(delivery: StoredDelivery): z.output<typeof WebhookDelivery> {
  const { nextAt, lastStatus, lastError, finishedAt } = delivery;
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    event_id: eventIdOf(delivery),
    run_id: delivery.runId,
    seq: delivery.seq,
    type: delivery.type,
    state: delivery.state,
    attempts: delivery.attempts,
    ...(nextAt === undefined ? {} : { next_attempt_at: iso(nextAt) }),
    ...(lastStatus === undefined ? {} : { last_status: lastStatus }),
    ...(lastError === undefined ? {} : { last_error: lastError }),
    created_at: iso(delivery.createdAt),
    ...(finishedAt === undefined ? {} : { finished_at: iso(finishedAt) }),
  };
}
