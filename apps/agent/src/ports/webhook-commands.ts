import type { Check, OnCommit } from './run-engine.ts';
import type { Webhook, WebhookDelivery } from './store/webhook.ts';

export type NewWebhook = Pick<Webhook, 'url' | 'eventTypes' | 'description'>;

export type WebhookPatch = Partial<NewWebhook & { readonly enabled: boolean }>;

/** Changes of webhooks, in any process. Callers read state from the store. */
export interface WebhookCommands {
  /**
   * Stores a webhook for events from now on. `secret` signs its requests and is returned only here.
   * @throws EngineError `webhook_url_refused`, `too_many_webhooks`
   */
  create(input: NewWebhook, onCommit?: OnCommit<CreatedWebhook>): Promise<CreatedWebhook>;
  /**
   * Changes the given fields. Disabling ends the pending deliveries as dead.
   * @throws EngineError `webhook_not_found`, `webhook_url_refused`
   */
  update(id: string, patch: WebhookPatch, check?: Check<Webhook>): Promise<Webhook>;
  /**
   * Replaces the secret. Requests are signed with the secrets before it as well, for `overlapMs`
   * from now; with 0, all of them end at once. At most four are kept, the newest.
   * @throws EngineError `webhook_not_found`
   */
  rotateSecret(
    id: string,
    overlapMs: number,
    onCommit?: OnCommit<CreatedWebhook>,
  ): Promise<CreatedWebhook>;
  /** Deletes a webhook with its deliveries. @throws EngineError `webhook_not_found` */
  delete(id: string, check?: Check<Webhook>): Promise<void>;
  /**
   * Sends a delivery that has ended once more, with a new series of attempts.
   * @throws EngineError `webhook_not_found`, `webhook_disabled`, `delivery_not_found`, `delivery_pending`
   */
  resend(
    delivery: Pick<WebhookDelivery, 'webhookId' | 'id'>,
    onCommit?: OnCommit<WebhookDelivery>,
  ): Promise<WebhookDelivery>;
}

export interface CreatedWebhook {
  readonly webhook: Webhook;
  readonly secret: string;
}
