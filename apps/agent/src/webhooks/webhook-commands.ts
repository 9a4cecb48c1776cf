import type { Clock } from '../ports/clock.ts';
import { EngineError, type Check } from '../ports/run-engine.ts';
import type { Store, StoreTransaction } from '../ports/store.ts';
import { WEBHOOK_DISABLED, type Webhook, type WebhookSecrets } from '../ports/store/webhook.ts';
import type { WebhookCommands } from '../ports/webhook-commands.ts';
import { messageOf } from '../text/error-text.ts';
import { RefusedUrlError, type AddressGuard } from '@signalbox/mcp-core/http/addresses';
import { newSecret } from './signature.ts';
import { webhookAudit } from './webhook-audit.ts';

/** Maximum number of secrets that are valid beside the newest. */
const MAX_EARLIER_SECRETS = 4;

/** Maximum number of webhooks. */
export const MAX_WEBHOOKS = 100;

export interface WebhookCommandsOptions {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly guard: Pick<AddressGuard, 'addressesOf'>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Called after a delivery became due. */
  readonly onDue?: () => void;
}

/** Creates the changes of webhooks. */
export function createWebhookCommands({
  store,
  guard,
  clock,
  newId,
  onDue,
}: WebhookCommandsOptions): WebhookCommands {
  return {
    async create(input, onCommit) {
      await refuseUrl(guard, input.url);
      const created = {
        webhook: { ...input, id: newId(), disabledAt: undefined, createdAt: clock.now() },
        secret: newSecret(),
      };
      return store.write({}, async (sql) => {
        if ((await sql.countWebhooks()) >= MAX_WEBHOOKS)
          throw new EngineError(
            'too_many_webhooks',
            `There are ${MAX_WEBHOOKS} webhooks already, which is the maximum. Delete one first.`,
          );
        await sql.insertWebhook({ ...created.webhook, secret: created.secret });
        await sql.appendAudit([webhookAudit(created.webhook.id, { decision: 'created' })]);
        await onCommit?.(sql, created);
        return created;
      });
    },

    async update(id, { enabled, ...patch }, check) {
      if (patch.url !== undefined) await refuseUrl(guard, patch.url);
      return store.write({}, async (sql) => {
        const { disabledAt } = await existing(sql, id, check);
        const isEnabled = disabledAt === undefined;
        if (enabled === false && isEnabled)
          await sql.disableWebhook(id, WEBHOOK_DISABLED, clock.now());
        const change = enabled === true && !isEnabled ? { ...patch, disabledAt: undefined } : patch;
        if (Object.keys(change).length > 0) await sql.updateWebhook(id, change);
        await sql.appendAudit([webhookAudit(id, { decision: 'changed' })]);
        const { secrets: _, ...webhook } = await existing(sql, id);
        return webhook;
      });
    },

    async rotateSecret(id, overlapMs, onCommit) {
      return store.write({}, async (sql) => {
        const { secrets, ...webhook } = await existing(sql, id);
        const now = clock.now();
        const earlierSecrets = [
          { secret: secrets.secret, validUntil: now + overlapMs },
          ...secrets.earlierSecrets.filter(({ validUntil }) => validUntil > now),
        ].slice(0, MAX_EARLIER_SECRETS);
        const created = { webhook, secret: newSecret() };
        await sql.updateWebhook(id, {
          secret: created.secret,
          earlierSecrets: overlapMs === 0 ? [] : earlierSecrets,
        });
        await sql.appendAudit([webhookAudit(id, { decision: 'secret_rotated' })]);
        await onCommit?.(sql, created);
        return created;
      });
    },

    delete: (id, check) =>
      store.write({}, async (sql) => {
        await existing(sql, id, check);
        await sql.deleteWebhook(id, clock.now());
        await sql.appendAudit([webhookAudit(id, { decision: 'deleted' })]);
      }),

    async resend({ webhookId, id }, onCommit) {
      const delivery = await store.write({}, async (sql) => {
        const webhook = await sql.webhook(webhookId);
        if (webhook === undefined) throw webhookNotFound(webhookId);
        const before = await sql.delivery(id);
        if (before === undefined || before.webhookId !== webhookId)
          throw new EngineError(
            'delivery_not_found',
            `The webhook ${webhookId} has no delivery ${id}: it never existed, or it was deleted with its run or after its retention.`,
          );
        refuseDisabled(webhook);
        if (!(await sql.resendDelivery(id, clock.now())))
          throw new EngineError(
            'delivery_pending',
            `The delivery ${id} has not ended: it will be retried automatically.`,
          );
        const after = (await sql.delivery(id)) ?? before;
        await onCommit?.(sql, after);
        return after;
      });
      onDue?.();
      return delivery;
    },
  };
}

/** Returns a webhook apart from its secrets, for a change in this transaction. */
async function existing(
  sql: StoreTransaction,
  id: string,
  check?: Check<Webhook>,
): Promise<Webhook & { readonly secrets: WebhookSecrets }> {
  const found = await sql.webhookToChange(id);
  if (found === undefined) throw webhookNotFound(id);
  const { secret, earlierSecrets, ...webhook } = found;
  check?.(webhook);
  return { ...webhook, secrets: { secret, earlierSecrets } };
}

async function refuseUrl(guard: Pick<AddressGuard, 'addressesOf'>, url: string): Promise<void> {
  try {
    await guard.addressesOf(url);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const reason =
      error instanceof RefusedUrlError
        ? error.message
        : `the host cannot be resolved (${typeof code === 'string' ? code : messageOf(error)})`;
    throw new EngineError('webhook_url_refused', `The webhook was not stored: ${reason}.`, [
      { path: '/url', message: reason },
    ]);
  }
}

function refuseDisabled({ id, disabledAt }: Webhook): void {
  if (disabledAt !== undefined)
    throw new EngineError(
      'webhook_disabled',
      `The webhook ${id} is disabled: by a client, or because its endpoint answered with status 410. Enable it with PATCH {"enabled": true} first.`,
    );
}

function webhookNotFound(id: string): EngineError {
  return new EngineError('webhook_not_found', `There is no webhook ${id}.`);
}
