import * as z from 'zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OnCommit } from '../ports/run-engine.ts';
import type {
  CreatedWebhook as Created,
  WebhookPatch as ChangeOfWebhook,
} from '../ports/webhook-commands.ts';
import {
  eventIdOf,
  type Webhook as StoredWebhook,
  type WebhookDelivery as StoredDelivery,
} from '../ports/store/webhook.ts';
import { described } from './described.ts';
import { isKnown, MatchHeaders, matchCheck, TagHeaders, tagOf } from './etag.ts';
import { KeyHeaders, replyWith } from './idempotency.ts';
import { Problem } from './problem.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { IdParameters, ListQuery } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import { pageOf } from './views.ts';
import {
  DeliveryParameters,
  DeliveryQuery,
  NewWebhook,
  SecretRotation,
  WebhookPatch,
} from './webhook-schemas.ts';
import {
  CreatedWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
} from './webhook-response-schemas.ts';

const problem = { 400: ProblemDetails, 404: ProblemDetails };

/** Adds the endpoints that create, read, change and delete webhooks, and those of their deliveries. */
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

  /** Replies with a webhook and its new secret, which is not stored with the idempotency key. */
  const replyWithSecret = async (
    request: FastifyRequest,
    reply: FastifyReply,
    {
      status,
      make,
    }: {
      readonly status: 200 | 201;
      readonly make: (onCommit: OnCommit<Created> | undefined) => Promise<Created>;
    },
  ): Promise<z.output<typeof CreatedWebhook>> => {
    let secret: string | undefined;
    const served = await once(request, {
      make: async (onCommit) => {
        const created = await make(onCommit);
        secret = created.secret;
        return created;
      },
      answer: ({ webhook }: Created) => ({
        status,
        ...(status === 201 ? { location: `/v1/webhooks/${webhook.id}` } : {}),
        body: webhookView(webhook),
      }),
    });
    const body = replyWith(reply, served);
    return secret === undefined ? body : { ...body, secret };
  };

  app.post(
    '/v1/webhooks',
    {
      schema: {
        summary: 'Create a webhook',
        description: 'Announces events from now on to a URL, in signed requests.',
        headers: KeyHeaders,
        body: NewWebhook,
        response: described(() => ({
          201: CreatedWebhook,
          400: ProblemDetails,
          409: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      const { url, event_types: eventTypes, description } = request.body;
      const input = { url, eventTypes: Array.from(new Set(eventTypes)), description };
      return replyWithSecret(request, reply, {
        status: 201,
        make: (onCommit) => webhooks.create(input, onCommit),
      });
    },
  );

  app.get(
    '/v1/webhooks',
    {
      schema: {
        summary: 'List webhooks, newest first',
        querystring: ListQuery,
        response: described(() => ({ 200: WebhookList, 400: ProblemDetails })),
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
        headers: TagHeaders,
        response: described(() => ({ 200: Webhook, 304: z.null(), ...problem })),
      },
    },
    async (request, reply) => {
      const webhook = webhookView(await existing(request.params.id));
      return isKnown(request, reply, tagOf(webhook)) ? reply.code(304).send(null) : webhook;
    },
  );

  app.patch(
    '/v1/webhooks/:id',
    {
      schema: {
        summary: 'Change a webhook',
        description:
          'Fields that are left out stay. Deliveries that are pending go to the new URL.',
        params: IdParameters,
        headers: MatchHeaders,
        body: WebhookPatch,
        response: described(() => ({ 200: Webhook, ...problem, 412: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const check = matchCheck(request, webhookTag);
      const webhook = webhookView(
        await webhooks.update(request.params.id, patchOf(request.body), check),
      );
      reply.header('etag', tagOf(webhook));
      return webhook;
    },
  );

  app.post(
    '/v1/webhooks/:id/rotate-secret',
    {
      schema: {
        summary: 'Replace the secret of a webhook',
        description:
          'Requests are signed with the new secret and, until the overlap has passed, with the earlier ones.',
        params: IdParameters,
        headers: KeyHeaders,
        body: SecretRotation,
        response: described(() => ({ 200: CreatedWebhook, ...problem, 409: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const overlapMs = request.body.overlap_seconds * 1000;
      return replyWithSecret(request, reply, {
        status: 200,
        make: (onCommit) => webhooks.rotateSecret(id, overlapMs, onCommit),
      });
    },
  );

  app.delete(
    '/v1/webhooks/:id',
    {
      schema: {
        summary: 'Delete a webhook with its deliveries',
        params: IdParameters,
        headers: MatchHeaders,
        response: described(() => ({ 204: z.null(), ...problem, 412: ProblemDetails })),
      },
    },
    async (request, reply) => {
      await webhooks.delete(request.params.id, matchCheck(request, webhookTag));
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
        response: described(() => ({ 200: WebhookDeliveryList, ...problem })),
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
        response: described(() => ({ 202: WebhookDelivery, ...problem, 409: ProblemDetails })),
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

function patchOf({
  url,
  event_types: eventTypes,
  description,
  enabled,
}: z.output<typeof WebhookPatch>): ChangeOfWebhook {
  return {
    ...(url === undefined ? {} : { url }),
    ...(eventTypes === undefined ? {} : { eventTypes: Array.from(new Set(eventTypes)) }),
    ...(description === undefined ? {} : { description: description ?? undefined }),
    ...(enabled === undefined ? {} : { enabled }),
  };
}

function webhookTag(webhook: StoredWebhook): string {
  return tagOf(webhookView(webhook));
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
