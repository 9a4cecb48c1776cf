import type { Page, PageOptions } from './page.ts';

/** Types of run events that webhooks can announce. */
export const WEBHOOK_EVENT_TYPES = [
  'run.queued',
  'run.started',
  'run.input_required',
  'run.resumed',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.expired',
  'inbox.opened',
  'inbox.answered',
  'inbox.expired',
  'inbox.void',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** An endpoint of a client that is notified of events. Its secret is read only to sign a request. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  readonly description: string | undefined;
  /** Set when the endpoint answered that it is gone, or a client disabled the webhook. Nothing is sent to it. */
  readonly disabledAt: number | undefined;
  readonly createdAt: number;
}

export type DeliveryState = 'pending' | 'delivered' | 'dead';

/** An event that is announced to one webhook. */
export interface WebhookDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly runId: string;
  /** `seq` of the event in its run. */
  readonly seq: number;
  readonly type: WebhookEventType;
  /** Body of the request as JSON, the same in every attempt. */
  readonly payload: string;
  readonly state: DeliveryState;
  /** Attempts so far. An attempt in progress counts. */
  readonly attempts: number;
  /** Attempts before the delivery was last requested again by a client. */
  readonly earlierAttempts: number;
  /** Time of the next attempt. Undefined unless pending. */
  readonly nextAt: number | undefined;
  /** Worker of the attempt in progress. */
  readonly owner: string | undefined;
  /** HTTP status of the last response. */
  readonly lastStatus: number | undefined;
  /** Reason of the last failure, without content of the response. */
  readonly lastError: string | undefined;
  readonly createdAt: number;
  readonly finishedAt: number | undefined;
}

/** Returns the id of an event in the `webhook-id` header, the same in every attempt and for every webhook. */
export function eventIdOf({ runId, seq }: Pick<WebhookDelivery, 'runId' | 'seq'>): string {
  return `${runId}:${seq}`;
}

/** A secret that was replaced. Requests are signed with it as well until it expires. */
export interface EarlierSecret {
  readonly secret: string;
  /** Milliseconds since the Unix epoch. */
  readonly validUntil: number;
}

/** The secrets of a webhook. */
export interface WebhookSecrets {
  readonly secret: string;
  /** Replaced secrets, newest first; some may have expired. */
  readonly earlierSecrets: readonly EarlierSecret[];
}

/** Reason of deliveries that ended because the endpoint is gone. */
export const ENDPOINT_GONE = 'the webhook was disabled: its endpoint answered with status 410';

/** Reason of deliveries that ended with their webhook. */
export const WEBHOOK_DISABLED = 'the webhook was disabled';

/** A delivery that a worker has claimed. */
export interface ClaimedDelivery extends WebhookDelivery, WebhookSecrets {
  readonly url: string;
}

/** An attempt of a worker. */
export interface DeliveryClaim {
  readonly id: string;
  readonly owner: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

export interface WebhookReader {
  webhook(id: string): Promise<Webhook | undefined>;
  /** Returns webhooks newest first. */
  webhooks(options: PageOptions): Promise<Page<Webhook>>;
  countWebhooks(): Promise<number>;
  /** Returns the ids of the enabled webhooks with the event types that each of them announces. */
  webhookSubscriptions(): Promise<readonly Pick<Webhook, 'id' | 'eventTypes'>[]>;
  delivery(id: string): Promise<WebhookDelivery | undefined>;
  /** Returns the deliveries of a webhook newest first. */
  deliveries(
    options: PageOptions & { readonly webhookId: string; readonly state?: DeliveryState },
  ): Promise<Page<WebhookDelivery>>;
  /**
   * Returns the pending deliveries of a webhook that are due up to `until`, soonest first. Leaves out
   * those that other living workers send.
   */
  dueDeliveries(options: {
    readonly webhookId: string;
    readonly until: number;
    readonly owner: string;
    readonly limit: number;
  }): Promise<
    readonly { readonly id: string; readonly attempts: number; readonly nextAt: number }[]
  >;
  countPendingDeliveries(): Promise<number>;
}

export interface WebhookWriter {
  insertWebhook(webhook: Webhook & { readonly secret: string }): Promise<void>;
  /**
   * Returns a webhook with its secrets. Other transactions that call this for the same webhook wait
   * until this one ends.
   */
  webhookToChange(id: string): Promise<(Webhook & WebhookSecrets) | undefined>;
  updateWebhook(
    id: string,
    patch: Partial<
      Pick<Webhook, 'url' | 'eventTypes' | 'description' | 'disabledAt'> & WebhookSecrets
    >,
  ): Promise<void>;
  /**
   * Hides a webhook and erases its secrets; `deleteDeliveries` deletes the rest. Returns whether it
   * existed.
   */
  deleteWebhook(id: string, at: number): Promise<boolean>;
  /** Disables a webhook, and ends its pending deliveries as `dead` with the reason. */
  disableWebhook(id: string, reason: string, at: number): Promise<void>;
  /**
   * Ends pending deliveries of disabled webhooks as `dead` with the reason: those of events that were
   * stored while their webhook was being disabled.
   */
  endDeliveriesOfDisabled(reason: string, at: number): Promise<void>;
  insertDeliveries(deliveries: readonly WebhookDelivery[]): Promise<void>;
  /**
   * Begins an attempt, unless the delivery has ended, its webhook is disabled or deleted, another
   * attempt began, or another living worker has one in progress.
   */
  claimDelivery(claim: DeliveryClaim): Promise<ClaimedDelivery | undefined>;
  /** Ends an attempt. Returns false, and changes nothing, when another worker has taken it over. */
  settleDelivery(
    claim: DeliveryClaim,
    patch: Partial<
      Pick<WebhookDelivery, 'state' | 'nextAt' | 'lastStatus' | 'lastError' | 'finishedAt'>
    >,
  ): Promise<boolean>;
  /** Makes an ended delivery pending again, due at `at`. Returns whether it had ended. */
  resendDelivery(id: string, at: number): Promise<boolean>;
  /**
   * Deletes up to `limit` deliveries that ended before a time, up to `limit` of deleted webhooks, and
   * the deleted webhooks without deliveries. Returns whether more may be left.
   */
  deleteDeliveries(options: { readonly before: number; readonly limit: number }): Promise<boolean>;
}
