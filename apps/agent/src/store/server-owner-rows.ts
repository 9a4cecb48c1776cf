import type { Kysely } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import type { ServerOwners } from '../ports/store/server-owners.ts';
import type { Database } from './database.ts';
import type { Rows } from './rows.ts';

/** Name of the lock of claims. A claim after it sees the claims before it. */
const CLAIM_LOCK = 'server owners';

export interface ServerOwnerRowsOptions {
  readonly reader: Rows;
  /** Runs work in a transaction on the write connection. */
  readonly write: <T>(work: (writer: Rows) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
}

/** Creates the store of the owners of servers. */
export function createServerOwners({ reader, write, clock }: ServerOwnerRowsOptions): ServerOwners {
  return {
    async owners() {
      const rows = await reader.rows(selectOwners, {});
      return new Map(rows.map(({ server, workerId }) => [server, workerId]));
    },

    claim: (server, workerId) =>
      write(async (writer) => {
        await writer.lock(CLAIM_LOCK);
        const owner = await writer.first(selectOwner, { server });
        if (owner !== undefined) return owner.workerId;
        if ((await writer.first(selectWorker, { workerId })) === undefined) return undefined;
        await writer.run(upsertOwner, { server, workerId, claimedAt: clock.now() });
        return workerId;
      }),
  };
}

type Db = Kysely<Database>;

const selectOwners = (db: Db) =>
  db
    .selectFrom('serverOwners')
    .innerJoin('workers', 'workers.id', 'serverOwners.workerId')
    .where('workers.endedAt', 'is', null)
    .select(['serverOwners.server', 'serverOwners.workerId']);

const selectOwner = (db: Db, { server }: { readonly server: string }) =>
  selectOwners(db).where('serverOwners.server', '=', server);

const selectWorker = (db: Db, { workerId }: { readonly workerId: string }) =>
  db.selectFrom('workers').select('id').where('id', '=', workerId).where('endedAt', 'is', null);

const upsertOwner = (db: Db, row: Database['serverOwners']) =>
  db
    .insertInto('serverOwners')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('server').doUpdateSet((values) => ({
        workerId: values.ref('excluded.workerId'),
        claimedAt: values.ref('excluded.claimedAt'),
      })),
    );
