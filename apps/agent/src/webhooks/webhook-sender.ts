import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import {
  eventIdOf,
  ENDPOINT_GONE,
  type ClaimedDelivery,
  type DeliveryClaim,
} from '../ports/store/webhook.ts';
import { signedHeaders } from './signature.ts';
import type { WebhookOutcome, WebhookRequest } from './post-webhook.ts';
import { webhookAudit } from './webhook-audit.ts';
import { MAX_ATTEMPTS, retryDelay } from './retry-delay.ts';

/** Maximum number of requests in progress. */
const MAX_IN_FLIGHT = 64;
/** Maximum number of requests in progress to one endpoint, so that a slow one delays no other. */
const MAX_PER_WEBHOOK = 4;
/** Milliseconds until the outcome of an attempt is stored again after the store refused it. */
const STORE_RETRY_MS = 5000;
/** Milliseconds that requests in progress have when the process ends. */
const CLOSE_GRACE_MS = 1000;

export interface WebhookSenderOptions {
  readonly store: Pick<Store, 'read' | 'write' | 'workerId'>;
  /** Sends a request. Rejects when `signal` is aborted. */
  readonly post: (request: WebhookRequest, signal: AbortSignal) => Promise<WebhookOutcome>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Value of the `user-agent` header. */
  readonly userAgent: string;
  /** Receives the end of each attempt. `dead`: the last one failed. */
  readonly onAttempt: (outcome: 'delivered' | 'failed' | 'dead') => void;
  /** Random number in [0, 1) for the jitter of delays; default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Sends the deliveries of webhooks that are due, each at least once. A delivery belongs to the worker
 * that claimed it until the attempt is stored or the worker has ended.
 */
export class WebhookSender {
  readonly name = 'sending webhooks';
  readonly #options: WebhookSenderOptions;
  readonly #random: () => number;
  readonly #inFlight = new Map<string, { webhookId: string; attempt: Promise<void> }>();
  readonly #closing = new AbortController();
  #isClosing = false;
  #isWaking = false;
  #claiming: Promise<unknown> = Promise.resolve();
  #turn = 0;

  constructor({ random = Math.random, ...options }: WebhookSenderOptions) {
    this.#options = { ...options };
    this.#random = random;
  }

  /**
   * Begins to send what is due at `now`, as far as there is room. Resolves with the next due time up
   * to `until`.
   */
  readonly run = (times: { readonly now: number; readonly until: number }) => {
    const claimed = this.#claiming.then(() => this.#begin(times));
    this.#claiming = claimed.catch(() => undefined);
    return claimed;
  };

  /** Sends what is due without waiting for the next sweep. */
  wake(): void {
    if (this.#isWaking || this.#isClosing) return;
    this.#isWaking = true;
    const { clock, logger } = this.#options;
    void this.#claiming
      .then(() => {
        this.#isWaking = false;
        const now = clock.now();
        return this.run({ now, until: now });
      })
      .catch((error: unknown) =>
        logger.error('webhooks could not be sent; the next sweep will retry', {
          error,
        }),
      );
  }

  /** Stops sending. Waits a second for requests in progress and hands the others to other workers. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const cancelGrace = this.#options.clock.after(CLOSE_GRACE_MS, () => this.#closing.abort());
    await this.#claiming;
    await this.settled();
    cancelGrace();
  }

  /** Resolves when no attempt is in progress. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0)
      await Promise.all(Array.from(this.#inFlight.values(), ({ attempt }) => attempt));
  }

  async #begin({
    now,
    until,
  }: {
    readonly now: number;
    readonly until: number;
  }): Promise<number | undefined> {
    const { store } = this.#options;
    const { workerId: owner } = store;
    const claims: (DeliveryClaim & { readonly webhookId: string })[] = [];
    let next: number | undefined;
    for (const webhookId of await this.#webhooksInTurn()) {
      const room = Math.min(
        MAX_PER_WEBHOOK - this.#countInFlight(webhookId),
        MAX_IN_FLIGHT - this.#inFlight.size - claims.length,
      );
      const found = await store.read.dueDeliveries({
        webhookId,
        until,
        owner,
        limit: MAX_PER_WEBHOOK,
      });
      const due = found.filter(({ id, nextAt }) => nextAt <= now && !this.#inFlight.has(id));
      const nextAt = found.find((each) => each.nextAt > now)?.nextAt ?? Infinity;
      if (nextAt < (next ?? Infinity)) next = nextAt;
      for (const { id, attempts } of due.slice(0, Math.max(0, room)))
        claims.push({ id, owner, attempt: attempts + 1, webhookId });
    }
    if (claims.length === 0 || this.#isClosing) return next;
    const claimed = await store.write({}, async (sql) => {
      // Another worker may have ended this one and taken its deliveries over.
      if (!(await sql.hasLease(owner))) return [];
      const begun: ClaimedDelivery[] = [];
      for (const claim of claims) {
        const delivery = await sql.claimDelivery(claim);
        if (delivery !== undefined) begun.push(delivery);
      }
      return begun;
    });
    for (const delivery of claimed) this.#start(delivery, owner);
    return next;
  }

  /** Returns the ids of the enabled webhooks, beginning with another one each time. */
  async #webhooksInTurn(): Promise<readonly string[]> {
    const ids = (await this.#options.store.read.webhookSubscriptions()).map(({ id }) => id);
    if (ids.length === 0) return ids;
    this.#turn = (this.#turn + 1) % ids.length;
    return [...ids.slice(this.#turn), ...ids.slice(0, this.#turn)];
  }

  #countInFlight(webhookId: string): number {
    let count = 0;
    for (const each of this.#inFlight.values()) if (each.webhookId === webhookId) count += 1;
    return count;
  }

  #start(delivery: ClaimedDelivery, owner: string): void {
    const { id, webhookId } = delivery;
    const attempt = this.#attempt(delivery, owner).finally(() => {
      this.#inFlight.delete(id);
      this.wake();
    });
    this.#inFlight.set(id, { webhookId, attempt });
  }

  async #attempt(delivery: ClaimedDelivery, owner: string): Promise<void> {
    const { clock, post, userAgent } = this.#options;
    const { url, secret, earlierSecrets, payload, runId, seq } = delivery;
    const now = clock.now();
    const valid = earlierSecrets.filter(({ validUntil }) => validUntil > now);
    const signed = signedHeaders([secret, ...valid.map((each) => each.secret)], {
      id: eventIdOf({ runId, seq }),
      timestamp: Math.floor(now / 1000),
      body: payload,
    });
    let outcome: WebhookOutcome | undefined;
    try {
      outcome = await post(
        { url, headers: { ...signed, 'user-agent': userAgent }, body: payload },
        this.#closing.signal,
      );
    } catch {
      // The process ends; without an outcome another worker begins the next attempt at once.
    }
    await this.#untilStored(() => this.#settle(delivery, owner, outcome));
  }

  /** Repeats a write that the store refuses, so that the attempt is not repeated instead. */
  async #untilStored(write: () => Promise<void>): Promise<void> {
    const { clock, logger } = this.#options;
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        if (this.#isClosing) return;
        logger.error(
          'the outcome of a webhook delivery could not be stored; storing it will be retried',
          {
            error,
          },
        );
        const { promise: pause, resolve } = Promise.withResolvers<void>();
        const cancel = clock.after(STORE_RETRY_MS, resolve);
        this.#closing.signal.addEventListener('abort', () => resolve(), { once: true });
        await pause;
        cancel();
      }
    }
  }

  async #settle(
    delivery: ClaimedDelivery,
    owner: string,
    outcome: WebhookOutcome | undefined,
  ): Promise<void> {
    const { store, clock, logger, onAttempt } = this.#options;
    const { id, url, webhookId, runId, attempts, earlierAttempts } = delivery;
    const claim = { id, owner, attempt: attempts };
    if (outcome === undefined) {
      await store.write({}, (sql) => sql.settleDelivery(claim, {}));
      return;
    }
    const { status } = outcome;
    const now = clock.now();
    const error = failureOf(outcome);
    const failures = attempts - earlierAttempts;
    const { retryAfterMs } = status === undefined ? {} : outcome;
    const delay = retryDelay(failures, {
      random: this.#random,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    const settled = await store.write({}, async (sql) => {
      const webhook = status === GONE ? await sql.webhookToChange(webhookId) : undefined;
      // A client may have changed the URL or deleted the webhook during the request.
      const isGone = webhook !== undefined && webhook.url === url;
      const isDead = error !== undefined && (isGone || failures >= MAX_ATTEMPTS);
      const isOver = error === undefined || isDead;
      const isStored = await sql.settleDelivery(claim, {
        state: error === undefined ? 'delivered' : isDead ? 'dead' : 'pending',
        nextAt: isOver ? undefined : now + delay,
        lastStatus: status,
        lastError: error,
        finishedAt: isOver ? now : undefined,
      });
      if (isStored && isGone && webhook.disabledAt === undefined) {
        await sql.disableWebhook(webhookId, ENDPOINT_GONE, now);
        await sql.appendAudit([webhookAudit(webhookId, { who: 'service', decision: 'disabled' })]);
      }
      return { isStored, isDead, isGone };
    });
    if (!settled.isStored) return;
    onAttempt(error === undefined ? 'delivered' : settled.isDead ? 'dead' : 'failed');
    const fields = { webhook: webhookId, delivery: id, run_id: runId, attempts };
    if (settled.isGone) logger.warn('a webhook was disabled, because its endpoint is gone', fields);
    else if (settled.isDead)
      logger.warn('a webhook delivery failed for the last time; it can be sent again', {
        ...fields,
        error,
      });
  }
}

/** Status with which an endpoint ends its webhook. */
const GONE = 410;

function failureOf(outcome: WebhookOutcome): string | undefined {
  if (outcome.status === undefined) return outcome.error;
  const { status } = outcome;
  if (status >= 200 && status < 300) return undefined;
  const answered = `the endpoint answered with status ${status}`;
  return status >= 300 && status < 400 ? `${answered}; redirects are not followed` : answered;
}
