import type { OnCommit } from './run-engine.ts';
import type { Webhook, WebhookDelivery } from './store/webhook.ts';

export type NewWebhook = Pick<Webhook, 'url' | 'eventTypes' | 'description'>;

/** Changes of webhooks, in any process. Callers read state from the store. */
export interface WebhookCommands {
  /**
   * Stores a webhook for events from now on. `secret` signs its requests and is returned only here.
   * @throws EngineError `webhook_url_refused`, `too_many_webhooks`
   */
  create(input: NewWebhook, onCommit?: OnCommit<CreatedWebhook>): Promise<CreatedWebhook>;
  /** Deletes a webhook with its deliveries. @throws EngineError `webhook_not_found` */
  delete(id: string): Promise<void>;
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
