import type { Clock } from '../ports/clock.ts';
import { EngineError } from '../ports/run-engine.ts';
import type { Store } from '../ports/store.ts';
import type { Webhook } from '../ports/store/webhook.ts';
import type { WebhookCommands } from '../ports/webhook-commands.ts';
import { messageOf } from '../text/error-text.ts';
import { RefusedUrlError, type AddressGuard } from './address-guard.ts';
import { newSecret } from './signature.ts';

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
        await onCommit?.(sql, created);
        return created;
      });
    },

    delete: (id) =>
      store.write({}, async (sql) => {
        if (!(await sql.deleteWebhook(id, clock.now()))) throw webhookNotFound(id);
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
            `The delivery ${id} has not ended: it is sent again by itself.`,
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
      `The webhook ${id} is disabled, because its endpoint answered with status 410. Delete it and create a new one.`,
    );
}

function webhookNotFound(id: string): EngineError {
  return new EngineError('webhook_not_found', `There is no webhook ${id}.`);
}
