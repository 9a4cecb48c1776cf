import type { Kysely } from 'kysely';
import { digestOf } from '../json/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { ListedTool } from '../ports/server-state.ts';
import type {
  FleetAnswer,
  FleetCommand,
  FleetStore,
  ServerSettings,
  StoredServerState,
} from '../ports/store/fleet.ts';
import { LEASE_MS } from '../ports/store/worker.ts';
import type { Rows } from './rows.ts';
import type { Database } from './database.ts';

/**
 * Name of the lock that is shared by transactions which store tools with the state of their server,
 * and exclusive for one that deletes unused tools.
 */
const TOOLS_LOCK = 'listed tools';

export interface FleetRowsOptions {
  readonly reader: Rows;
  /** Runs work in a transaction on the write connection. */
  readonly write: (work: (writer: Rows) => Promise<void>) => Promise<void>;
  readonly clock: Clock;
}

/** Creates the store of server states, settings and commands to workers. */
export function createFleetStore({ reader, write, clock }: FleetRowsOptions): FleetStore {
  const digests = new WeakMap<readonly ListedTool[], { text: string; digest: string }>();
  const serialized = (tools: readonly ListedTool[]): { text: string; digest: string } => {
    let known = digests.get(tools);
    if (known === undefined) {
      const text = JSON.stringify(tools);
      digests.set(tools, (known = { text, digest: digestOf(text) }));
    }
    return known;
  };
  const liveSince = (): number => clock.now() - LEASE_MS;
  return {
    workers: async () => reader.rows(selectWorkers, { since: liveSince() }),

    saveState: (workerId, { status, isOffering, capabilities, tools }) =>
      write(async (writer) => {
        const { text, digest } = serialized(tools);
        const earlier = await writer.first(selectDigest, { workerId, server: status.name });
        const isReplaced = earlier !== undefined && earlier.toolsDigest !== digest;
        await writer.lock(TOOLS_LOCK, isReplaced ? 'exclusive' : 'shared');
        await writer.run(insertTools, { digest, tools: text });
        await writer.run(upsertState, {
          workerId,
          server: status.name,
          status: JSON.stringify(status),
          isOffering: Number(isOffering),
          capabilities: capabilities === undefined ? null : JSON.stringify(capabilities),
          toolsDigest: digest,
        });
        if (isReplaced) await writer.run(deleteUnusedTools, {});
      }),

    async states() {
      const rows = await reader.rows(selectStates, { since: liveSince() });
      return rows.map(decodeState);
    },

    async listedTools(digest) {
      const row = await reader.first(selectTools, { digest });
      return row && (JSON.parse(row.tools) as ListedTool[]);
    },

    async settings() {
      const rows = await reader.rows(selectSettings, {});
      return rows.map(decodeSettings);
    },

    changeSettings: (server, { roots, isDrained }) =>
      write(async (writer) => {
        await writer.run(insertSettings, { server, isDrained: 0 });
        if (roots !== undefined)
          await writer.run(updateRoots, { server, roots: JSON.stringify(roots) });
        if (isDrained !== undefined)
          await writer.run(updateDrained, { server, isDrained: Number(isDrained) });
      }),

    clearSettings: () => write(async (writer) => void (await writer.run(deleteSettings, {}))),

    addRequests: (requests, expiresInMs) =>
      write(async (writer) => {
        const createdAt = clock.now();
        for (const { id, workerId, server, command } of requests) {
          const { kind, ...params } = command;
          await writer.run(insertRequest, {
            id,
            workerId,
            server,
            kind,
            params: JSON.stringify(params),
            createdAt,
            expiresAt: createdAt + expiresInMs,
          });
        }
      }),

    async requestsTo(workerId) {
      const rows = await reader.rows(selectRequests, { workerId, now: clock.now() });
      return rows.map(({ kind, params, ...request }) => ({
        ...request,
        // Written by `addRequests` only.
        command: { kind, ...(JSON.parse(params) as object) } as FleetCommand,
      }));
    },

    answerRequest: (id, answer) =>
      write(
        async (writer) =>
          void (await writer.run(updateAnswer, { id, answer: JSON.stringify(answer) })),
      ),

    async answerTo(id) {
      const row = await reader.first(selectAnswer, { id });
      return row === undefined || row.answer === null
        ? undefined
        : (JSON.parse(row.answer) as FleetAnswer);
    },

    removeRequests: (ids) =>
      write(async (writer) => {
        for (const id of ids) await writer.run(deleteRequest, { id });
      }),

    removeStates: (workerId) =>
      write(async (writer) => void (await writer.run(deleteStatesOf, { workerId }))),

    async removeLeftovers() {
      const now = clock.now();
      // Most times there is nothing to remove, and a read does not wait for other writes.
      if ((await reader.first(selectLeftover, { now })) === undefined) return;
      await write(async (writer) => {
        await writer.lock(TOOLS_LOCK);
        await writer.run(deleteStatesOfEnded, {});
        await writer.run(deleteUnusedTools, {});
        await writer.run(deleteExpired, { now });
      });
    },
  };
}

type Db = Kysely<Database>;

/** Workers that have servers and whose leases are not over. */
const liveWorkers = (db: Db, { since }: { readonly since: number }) =>
  db
    .selectFrom('workers')
    .where('workers.endedAt', 'is', null)
    .where('workers.heartbeatAt', '>', since)
    .where('workers.role', '!=', 'api');

const selectWorkers = (db: Db, values: { readonly since: number }) =>
  liveWorkers(db, values)
    .select(['workers.id', 'workers.startedAt'])
    .orderBy('workers.startedAt')
    .orderBy('workers.id');

const selectStates = (db: Db, values: { readonly since: number }) =>
  liveWorkers(db, values)
    .innerJoin('serverStates', 'serverStates.workerId', 'workers.id')
    .select(['workerId', 'status', 'isOffering', 'capabilities', 'toolsDigest'])
    .orderBy('workers.startedAt')
    .orderBy('workers.id');

const insertTools = (db: Db, row: Database['listedTools']) =>
  db
    .insertInto('listedTools')
    .values(row)
    .onConflict((conflict) => conflict.column('digest').doNothing());

const upsertState = (db: Db, row: Database['serverStates']) =>
  db
    .insertInto('serverStates')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['workerId', 'server']).doUpdateSet((values) => ({
        status: values.ref('excluded.status'),
        isOffering: values.ref('excluded.isOffering'),
        capabilities: values.ref('excluded.capabilities'),
        toolsDigest: values.ref('excluded.toolsDigest'),
      })),
    );

const selectDigest = (
  db: Db,
  { workerId, server }: Pick<Database['serverStates'], 'workerId' | 'server'>,
) =>
  db
    .selectFrom('serverStates')
    .select('toolsDigest')
    .where('workerId', '=', workerId)
    .where('server', '=', server);

const selectTools = (db: Db, { digest }: { readonly digest: string }) =>
  db.selectFrom('listedTools').select('tools').where('digest', '=', digest);

const selectSettings = (db: Db) => db.selectFrom('serverSettings').selectAll().orderBy('server');

const insertSettings = (db: Db, row: Pick<Database['serverSettings'], 'server' | 'isDrained'>) =>
  db
    .insertInto('serverSettings')
    .values(row)
    .onConflict((conflict) => conflict.column('server').doNothing());

const updateRoots = (
  db: Db,
  { server, roots }: { readonly server: string; readonly roots: string },
) => db.updateTable('serverSettings').set({ roots }).where('server', '=', server);

const updateDrained = (
  db: Db,
  { server, isDrained }: { readonly server: string; readonly isDrained: number },
) => db.updateTable('serverSettings').set({ isDrained }).where('server', '=', server);

const deleteSettings = (db: Db) => db.deleteFrom('serverSettings');

const insertRequest = (db: Db, row: Omit<Database['fleetRequests'], 'answer'>) =>
  db.insertInto('fleetRequests').values({ ...row, answer: null });

const selectRequests = (
  db: Db,
  { workerId, now }: { readonly workerId: string; readonly now: number },
) =>
  db
    .selectFrom('fleetRequests')
    .select(['id', 'workerId', 'server', 'kind', 'params'])
    .where('workerId', '=', workerId)
    .where('answer', 'is', null)
    .where('expiresAt', '>', now)
    .orderBy('id');

const updateAnswer = (db: Db, { id, answer }: { readonly id: string; readonly answer: string }) =>
  db.updateTable('fleetRequests').set({ answer }).where('id', '=', id).where('answer', 'is', null);

const selectAnswer = (db: Db, { id }: { readonly id: string }) =>
  db.selectFrom('fleetRequests').select('answer').where('id', '=', id);

const deleteRequest = (db: Db, { id }: { readonly id: string }) =>
  db.deleteFrom('fleetRequests').where('id', '=', id);

const deleteStatesOf = (db: Db, { workerId }: { readonly workerId: string }) =>
  db.deleteFrom('serverStates').where('workerId', '=', workerId);

const ofEndedWorkers = (db: Db) =>
  db
    .selectFrom('serverStates')
    .leftJoin('workers', 'workers.id', 'serverStates.workerId')
    .where((row) => row.or([row('workers.id', 'is', null), row('workers.endedAt', 'is not', null)]))
    .select('serverStates.workerId');

const selectLeftover = (db: Db, { now }: { readonly now: number }) =>
  db
    .selectFrom('fleetRequests')
    .where('expiresAt', '<=', now)
    .select('workerId')
    .unionAll(ofEndedWorkers(db));

const deleteStatesOfEnded = (db: Db) =>
  db.deleteFrom('serverStates').where('workerId', 'in', ofEndedWorkers(db));

const deleteUnusedTools = (db: Db) =>
  db
    .deleteFrom('listedTools')
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('serverStates')
            .select('serverStates.workerId')
            .whereRef('serverStates.toolsDigest', '=', 'listedTools.digest'),
        ),
      ),
    );

const deleteExpired = (db: Db, { now }: { readonly now: number }) =>
  db.deleteFrom('fleetRequests').where('expiresAt', '<=', now);

/** Decodes a row that `saveState` wrote. */
function decodeState({
  workerId,
  status,
  isOffering,
  capabilities,
  toolsDigest,
}: Pick<
  Database['serverStates'],
  'workerId' | 'status' | 'isOffering' | 'capabilities' | 'toolsDigest'
>): StoredServerState {
  return {
    workerId,
    status: JSON.parse(status) as StoredServerState['status'],
    isOffering: isOffering === 1,
    capabilities:
      capabilities === null
        ? undefined
        : (JSON.parse(capabilities) as StoredServerState['capabilities']),
    toolsDigest,
  };
}

/** Decodes a row that `changeSettings` wrote. */
function decodeSettings({ server, roots, isDrained }: Database['serverSettings']): ServerSettings {
  return {
    server,
    roots: roots === null ? undefined : (JSON.parse(roots) as string[]),
    isDrained: isDrained === 1,
  };
}
