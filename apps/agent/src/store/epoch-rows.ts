import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Epoch, EpochReader, EpochWriter, StoredCatalogue } from '../ports/store/epoch.ts';
import type { ToolSpec } from '../ports/llm-provider.ts';
import type { CatalogueTool } from '../ports/tool-registry.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** Creates the reads of epochs and catalogues. */
export function createEpochReader(connection: Connection): EpochReader {
  return {
    async epoch(runId) {
      const row = await connection.first(selectEpoch, { runId });
      // Written by `insertEpoch` only.
      return (
        row && {
          ...row,
          tools: JSON.parse(row.tools) as ToolSpec[],
          policies: JSON.parse(row.policies) as Epoch['policies'],
        }
      );
    },

    async catalogues(runId) {
      const rows = await connection.rows(selectCatalogues, { runId });
      return rows.map(decodeCatalogue);
    },

    async lastCatalogue(runId, point) {
      const row = await connection.first(selectLastCatalogue, { runId, point });
      return row && decodeCatalogue(row);
    },

    async isLastCatalogue(runId, tools, point) {
      const row = await connection.first(selectLastDigest, { runId, point });
      return row?.toolsDigest === digestOf(JSON.stringify(tools));
    },
  };
}

/** Creates the writes of epochs and catalogues. */
export function createEpochWriter(connection: Connection): EpochWriter {
  const insertTools = async (
    tools: readonly ToolSpec[] | readonly CatalogueTool[],
  ): Promise<string> => {
    const text = JSON.stringify(tools);
    const digest = digestOf(text);
    await connection.run(insertToolSet, { digest, tools: text });
    return digest;
  };
  return {
    async insertEpoch({ runId, id, system, tools, policies }) {
      await connection.run(insertEpoch, {
        runId,
        id,
        system,
        toolsDigest: await insertTools(tools),
        policies: JSON.stringify(policies),
      });
    },

    async insertCatalogue(runId, { turn, point, tools }) {
      const toolsDigest = await insertTools(tools);
      await connection.run(upsertCatalogue, { runId, turn, point, toolsDigest });
    },
  };
}

/** Deletes tools that no run refers to. */
export async function deleteUnusedTools(db: Kysely<Database>): Promise<void> {
  await db
    .deleteFrom('toolSets')
    .where((set) =>
      set.not(
        set.exists(
          set
            .selectFrom('epochs')
            .select('epochs.runId')
            .whereRef('epochs.toolsDigest', '=', 'toolSets.digest'),
        ),
      ),
    )
    .where((set) =>
      set.not(
        set.exists(
          set
            .selectFrom('catalogues')
            .select('catalogues.runId')
            .whereRef('catalogues.toolsDigest', '=', 'toolSets.digest'),
        ),
      ),
    )
    .execute();
}

type Db = Kysely<Database>;

interface OfRun {
  readonly runId: string;
}

interface LastOfRun extends OfRun {
  readonly point: StoredCatalogue['point'] | undefined;
}

const selectEpoch = (db: Db, { runId }: OfRun) =>
  db
    .selectFrom('epochs')
    .innerJoin('toolSets', 'toolSets.digest', 'epochs.toolsDigest')
    .select(['runId', 'id', 'system', 'tools', 'policies'])
    .where('runId', '=', runId);

const ofRun = (db: Db, { runId }: OfRun) =>
  db
    .selectFrom('catalogues')
    .innerJoin('toolSets', 'toolSets.digest', 'catalogues.toolsDigest')
    .select(['turn', 'point', 'tools'])
    .where('runId', '=', runId);

/** The catalogues of a run in order: `begin` sorts before `plan`. */
const selectCatalogues = (db: Db, values: OfRun) =>
  ofRun(db, values).orderBy('turn').orderBy('point');

const selectLastCatalogue = (db: Db, { runId, point }: LastOfRun) => {
  const query = ofRun(db, { runId }).orderBy('turn', 'desc').orderBy('point', 'desc').limit(1);
  return point === undefined ? query : query.where('point', '=', point);
};

const selectLastDigest = (db: Db, { runId, point }: LastOfRun) => {
  const query = db
    .selectFrom('catalogues')
    .select('toolsDigest')
    .where('runId', '=', runId)
    .orderBy('turn', 'desc')
    .orderBy('point', 'desc')
    .limit(1);
  return point === undefined ? query : query.where('point', '=', point);
};

const insertToolSet = (db: Db, row: Database['toolSets']) =>
  db
    .insertInto('toolSets')
    .values(row)
    .onConflict((conflict) => conflict.column('digest').doNothing());

const insertEpoch = (db: Db, row: Database['epochs']) => db.insertInto('epochs').values(row);

const upsertCatalogue = (db: Db, row: Database['catalogues']) =>
  db
    .insertInto('catalogues')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['runId', 'turn', 'point']).doUpdateSet({ toolsDigest: row.toolsDigest }),
    );

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function decodeCatalogue({
  turn,
  point,
  tools,
}: {
  readonly turn: number;
  readonly point: StoredCatalogue['point'];
  readonly tools: string;
}): StoredCatalogue {
  // Written by `insertCatalogue` only.
  return { turn, point, tools: JSON.parse(tools) as CatalogueTool[] };
}
