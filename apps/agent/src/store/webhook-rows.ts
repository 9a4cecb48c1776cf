import type { ExpressionBuilder, Kysely, SelectQueryBuilder } from 'kysely';
import type {
  DeliveryClaim,
  EarlierSecret,
  WebhookEventType,
  WebhookReader,
  WebhookWriter,
} from '../ports/store/webhook.ts';
import { changed } from './changed.ts';
import { deliveryCodec, webhookCodec, type Database } from './database.ts';
import { pageByTime } from './pages.ts';
import type { Rows } from './rows.ts';

type Db = Kysely<Database>;

/** Creates the reads of webhooks and their deliveries. */
export function createWebhookReader(connection: Rows): WebhookReader {
  const db = connection.kysely;
  return {
    async webhook(id) {
      const row = await db
        .selectFrom('webhooks')
        .select(WEBHOOK_COLUMNS)
        .where('id', '=', id)
        .where('deletedAt', 'is', null)
        .executeTakeFirst();
      return row && webhookCodec.decode(row);
    },

    async webhooks(page) {
      return pageByTime(
        db.selectFrom('webhooks').select(WEBHOOK_COLUMNS).where('deletedAt', 'is', null),
        page,
        { order: 'newest first', decode: (row) => webhookCodec.decode(row) },
      );
    },

    async countWebhooks() {
      const { count } = await db
        .selectFrom('webhooks')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('deletedAt', 'is', null)
        .executeTakeFirstOrThrow();
      return count;
    },

    async webhookSubscriptions() {
      const rows = await connection.rows(selectSubscriptions, {});
      return rows.map(({ id, eventTypes }) => ({
        id,
        // Written by `insertWebhook` only.
        eventTypes: JSON.parse(eventTypes) as WebhookEventType[],
      }));
    },

    async delivery(id) {
      const row = await db
        .selectFrom('webhookDeliveries')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && deliveryCodec.decode(row);
    },

    async deliveries({ webhookId, state, ...page }) {
      let query = db.selectFrom('webhookDeliveries').selectAll().where('webhookId', '=', webhookId);
      if (state !== undefined) query = query.where('state', '=', state);
      return pageByTime(query, page, {
        order: 'newest first',
        decode: (row) => deliveryCodec.decode(row),
      });
    },

    async dueDeliveries(options) {
      const rows = await connection.rows(selectDue, options);
      // The query compares `nextAt`, which is set in every row that it returns.
      return rows.map(({ nextAt, ...row }) => ({ ...row, nextAt: nextAt ?? 0 }));
    },

    async countPendingDeliveries() {
      const { count } = await db
        .selectFrom('webhookDeliveries')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('nextAt', 'is not', null)
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

/** Creates the writes of webhooks and their deliveries. */
export function createWebhookWriter(connection: Rows): WebhookWriter {
  const db = connection.kysely;
  return {
    async webhookToChange(id) {
      await connection.lock(`webhook ${id}`);
      const row = await db
        .selectFrom('webhooks')
        .select([...WEBHOOK_COLUMNS, 'secret', 'earlierSecrets'])
        .where('id', '=', id)
        .where('deletedAt', 'is', null)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { secret, earlierSecrets, ...webhook } = row;
      return { ...webhookCodec.decode(webhook), secret, earlierSecrets: secretsIn(earlierSecrets) };
    },

    async updateWebhook(id, { secret, earlierSecrets, ...patch }) {
      await db
        .updateTable('webhooks')
        .set({
          ...webhookCodec.encode(patch),
          ...(secret === undefined ? {} : { secret }),
          ...(earlierSecrets === undefined
            ? {}
            : { earlierSecrets: JSON.stringify(earlierSecrets) }),
        })
        .where('id', '=', id)
        .execute();
    },

    async insertWebhook({ secret, ...webhook }) {
      await db
        .insertInto('webhooks')
        .values({ ...webhookCodec.encode(webhook), secret, earlierSecrets: null, deletedAt: null })
        .execute();
    },

    async deleteWebhook(id, at) {
      return changed(
        db
          .updateTable('webhooks')
          .set({ deletedAt: at, secret: '', earlierSecrets: null })
          .where('id', '=', id)
          .where('deletedAt', 'is', null),
      );
    },

    async disableWebhook(id, reason, at) {
      await db
        .updateTable('webhooks')
        .set({ disabledAt: at })
        .where('id', '=', id)
        .where('disabledAt', 'is', null)
        .execute();
      await endPending(db, reason, at).where('webhookId', '=', id).execute();
    },

    async endDeliveriesOfDisabled(reason, at) {
      await endPending(db, reason, at)
        .where('webhookId', 'in', (row) =>
          row.selectFrom('webhooks').select('webhooks.id').where('disabledAt', 'is not', null),
        )
        .execute();
    },

    async insertDeliveries(deliveries) {
      if (deliveries.length === 0) return;
      await db
        .insertInto('webhookDeliveries')
        .values(deliveries.map((delivery) => deliveryCodec.encode(delivery)))
        .execute();
    },

    async claimDelivery({ id, owner, attempt }) {
      const isClaimed = await changed(
        db
          .updateTable('webhookDeliveries')
          .set({ owner, attempts: attempt })
          .where('id', '=', id)
          .where('attempts', '=', attempt - 1)
          .where('nextAt', 'is not', null)
          .where('webhookId', 'in', enabledWebhooks(db))
          .where(isFreeFor(db, owner)),
      );
      if (!isClaimed) return undefined;
      const { url, secret, earlierSecrets, ...row } = await db
        .selectFrom('webhookDeliveries')
        .innerJoin('webhooks', 'webhooks.id', 'webhookDeliveries.webhookId')
        .selectAll('webhookDeliveries')
        .select(['webhooks.url', 'webhooks.secret', 'webhooks.earlierSecrets'])
        .where('webhookDeliveries.id', '=', id)
        .executeTakeFirstOrThrow();
      return {
        ...deliveryCodec.decode(row),
        url,
        secret,
        earlierSecrets: secretsIn(earlierSecrets),
      };
    },

    async settleDelivery({ id, owner, attempt }: DeliveryClaim, patch) {
      return changed(
        db
          .updateTable('webhookDeliveries')
          .set({ ...deliveryCodec.encode(patch), owner: null })
          .where('id', '=', id)
          .where('owner', '=', owner)
          .where('attempts', '=', attempt),
      );
    },

    async resendDelivery(id, at) {
      return changed(
        db
          .updateTable('webhookDeliveries')
          .set((row) => ({
            state: 'pending' as const,
            nextAt: at,
            finishedAt: null,
            earlierAttempts: row.ref('attempts'),
          }))
          .where('id', '=', id)
          .where('nextAt', 'is', null),
      );
    },

    async deleteDeliveries({ before, limit }) {
      const deleted = await deleteSome(
        db,
        db
          .selectFrom('webhookDeliveries')
          .select('id')
          .where('finishedAt', '<', before)
          .limit(limit),
      );
      const ofDeleted = await deleteSome(
        db,
        db
          .selectFrom('webhookDeliveries')
          .select('id')
          .where('webhookId', 'in', deletedWebhooks(db))
          .limit(limit),
      );
      if (ofDeleted === 0)
        await db.deleteFrom('webhooks').where('deletedAt', 'is not', null).execute();
      return deleted === limit || ofDeleted === limit;
    },
  };
}

const WEBHOOK_COLUMNS = [
  'id',
  'url',
  'eventTypes',
  'description',
  'disabledAt',
  'createdAt',
] as const;

/** Parses what `updateWebhook` wrote. */
function secretsIn(text: string | null): readonly EarlierSecret[] {
  return text === null ? [] : (JSON.parse(text) as readonly EarlierSecret[]);
}

function enabledWebhooks(db: Db) {
  return db
    .selectFrom('webhooks')
    .select('webhooks.id')
    .where('disabledAt', 'is', null)
    .where('deletedAt', 'is', null);
}

const selectSubscriptions = (db: Db) => enabledWebhooks(db).select('eventTypes');

/** Whether no other living worker has an attempt in progress. */
function isFreeFor(db: Db, owner: string) {
  return (row: ExpressionBuilder<Database, 'webhookDeliveries'>) =>
    row.or([
      row('owner', 'is', null),
      row('owner', '=', owner),
      row(
        'owner',
        'not in',
        db.selectFrom('workers').select('workers.id').where('workers.endedAt', 'is', null),
      ),
    ]);
}

interface DueOptions {
  readonly webhookId: string;
  readonly until: number;
  readonly owner: string;
  readonly limit: number;
}

const selectDue = (db: Db, { webhookId, until, owner, limit }: DueOptions) =>
  db
    .selectFrom('webhookDeliveries')
    .select(['id', 'attempts', 'nextAt'])
    .where('webhookId', '=', webhookId)
    .where('nextAt', '<=', until)
    .where(isFreeFor(db, owner))
    .orderBy('nextAt')
    .limit(limit);

/** Ends pending deliveries as `dead`. */
function endPending(db: Db, reason: string, at: number) {
  return db
    .updateTable('webhookDeliveries')
    .set({ state: 'dead', nextAt: null, owner: null, lastError: reason, finishedAt: at })
    .where('nextAt', 'is not', null);
}

function deletedWebhooks(db: Db) {
  return db.selectFrom('webhooks').select('webhooks.id').where('deletedAt', 'is not', null);
}

/** Deletes some deliveries. Returns their number. */
async function deleteSome(
  db: Db,
  ids: SelectQueryBuilder<Database, 'webhookDeliveries', { id: string }>,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('webhookDeliveries')
    .where('id', 'in', ids)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
