import { createHash } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { Epoch, EpochReader, EpochWriter, StoredCatalogue } from '../ports/store/epoch.ts';
import type { ToolSpec } from '../ports/llm-provider.ts';
import type { CatalogueTool } from '../ports/tool-registry.ts';
import type { Database } from './database.ts';

/** Creates the reads of epochs and catalogues. */
export function createEpochReader(db: Kysely<Database>): EpochReader {
  const catalogues = (runId: string) =>
    db
      .selectFrom('catalogues')
      .innerJoin('toolSets', 'toolSets.digest', 'catalogues.toolsDigest')
      .select(['turn', 'point', 'tools'])
      .where('runId', '=', runId);
  return {
    async epoch(runId) {
      const row = await db
        .selectFrom('epochs')
        .innerJoin('toolSets', 'toolSets.digest', 'epochs.toolsDigest')
        .select(['runId', 'id', 'system', 'tools', 'policies'])
        .where('runId', '=', runId)
        .executeTakeFirst();
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
      // `begin` sorts before `plan`.
      const rows = await catalogues(runId).orderBy('turn').orderBy('point').execute();
      return rows.map(decodeCatalogue);
    },

    async lastCatalogue(runId, point) {
      let query = catalogues(runId).orderBy('turn', 'desc').orderBy('point', 'desc').limit(1);
      if (point !== undefined) query = query.where('point', '=', point);
      const row = await query.executeTakeFirst();
      return row && decodeCatalogue(row);
    },

    async isLastCatalogue(runId, tools, point) {
      let query = db
        .selectFrom('catalogues')
        .select('toolsDigest')
        .where('runId', '=', runId)
        .orderBy('turn', 'desc')
        .orderBy('point', 'desc')
        .limit(1);
      if (point !== undefined) query = query.where('point', '=', point);
      return (await query.executeTakeFirst())?.toolsDigest === digestOf(JSON.stringify(tools));
    },
  };
}

/** Creates the writes of epochs and catalogues. */
export function createEpochWriter(db: Transaction<Database>): EpochWriter {
  const insertTools = async (
    tools: readonly ToolSpec[] | readonly CatalogueTool[],
  ): Promise<string> => {
    const text = JSON.stringify(tools);
    const digest = digestOf(text);
    await db
      .insertInto('toolSets')
      .values({ digest, tools: text })
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .execute();
    return digest;
  };
  return {
    async insertEpoch({ runId, id, system, tools, policies }) {
      await db
        .insertInto('epochs')
        .values({
          runId,
          id,
          system,
          toolsDigest: await insertTools(tools),
          policies: JSON.stringify(policies),
        })
        .execute();
    },

    async insertCatalogue(runId, { turn, point, tools }) {
      const toolsDigest = await insertTools(tools);
      await db
        .insertInto('catalogues')
        .values({ runId, turn, point, toolsDigest })
        .onConflict((conflict) =>
          conflict.columns(['runId', 'turn', 'point']).doUpdateSet({ toolsDigest }),
        )
        .execute();
    },
  };
}

/** Deletes tools that no run refers to. */
export async function deleteUnusedTools(db: Transaction<Database>): Promise<void> {
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
