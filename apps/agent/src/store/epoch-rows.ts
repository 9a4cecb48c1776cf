import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Epoch, EpochReader, EpochWriter, StoredCatalogue } from '../ports/store/epoch.ts';
import type { ToolSpec } from '../ports/llm-provider.ts';
import type { CatalogueTool } from '../ports/tool-catalogue.ts';
import type { Rows } from './rows.ts';
import type { Database } from './database.ts';
import { ONE } from './read-queries.ts';

/**
 * Name of the lock that is shared by transactions which store tools with their references, and
 * exclusive for one that deletes unused tools.
 */
const TOOLS_LOCK = 'tools';

/** Maximum number of sets of tools that are kept in memory. */
const MAX_TOOL_SETS = 32;

/** Creates the reads of epochs and catalogues. */
export function createEpochReader(connection: Rows): EpochReader {
  const digests = new ToolDigests();
  /** Tools of epochs by digest, since the tools of most runs are equal. */
  const toolSets = new Map<string, readonly ToolSpec[]>();
  const toolSet = async (digest: string): Promise<readonly ToolSpec[] | undefined> => {
    const known = toolSets.get(digest);
    if (known !== undefined) return known;
    const row = await connection.first(selectToolSet, { digest });
    if (row === undefined) return undefined;
    if (toolSets.size >= MAX_TOOL_SETS) toolSets.clear();
    const tools = JSON.parse(row.tools) as readonly ToolSpec[];
    toolSets.set(digest, tools);
    return tools;
  };
  return {
    async epoch(runId) {
      const row = await connection.first(selectEpoch, { runId });
      if (row === undefined) return undefined;
      const { toolsDigest, policies, ...rest } = row;
      const tools = await toolSet(toolsDigest);
      if (tools === undefined) return undefined;
      // Written by `insertEpoch` only.
      return { ...rest, tools, policies: JSON.parse(policies) as Epoch['policies'] };
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
      const rows = await connection.rows(selectDigests, { runId, point });
      const last = rows.toSorted((a, b) => a.turn - b.turn || (a.point < b.point ? -1 : 1)).at(-1);
      return last?.toolsDigest === digests.of(tools).digest;
    },
  };
}

/** Creates the writes of epochs and catalogues. */
export function createEpochWriter(connection: Rows): EpochWriter {
  const digests = new ToolDigests();
  const insertTools = async (
    tools: readonly ToolSpec[] | readonly CatalogueTool[],
  ): Promise<string> => {
    const { digest, text } = digests.of(tools);
    await connection.lock(TOOLS_LOCK, 'shared');
    await connection.send(insertToolSet, { digest, tools: text });
    return digest;
  };
  return {
    async insertEpoch({ runId, id, system, tools, policies }) {
      await connection.send(insertEpoch, {
        runId,
        id,
        system,
        toolsDigest: await insertTools(tools),
        policies: JSON.stringify(policies),
      });
    },

    async insertCatalogue(runId, { turn, point, tools }) {
      const toolsDigest = await insertTools(tools);
      await connection.send(upsertCatalogue, { runId, turn, point, toolsDigest });
    },
  };
}

/** Deletes tools that no run refers to. */
export async function deleteUnusedTools(connection: Rows): Promise<void> {
  await connection.lock(TOOLS_LOCK);
  await connection.kysely
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
    .select(['runId', 'id', 'system', 'toolsDigest', 'policies'])
    .where('runId', '=', runId);

const selectToolSet = (db: Db, { digest }: { readonly digest: string }) =>
  db.selectFrom('toolSets').select('tools').where('digest', '=', digest);

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
  const query = ofRun(db, { runId }).orderBy('turn', 'desc').orderBy('point', 'desc').limit(ONE);
  return point === undefined ? query : query.where('point', '=', point);
};

/** Digests of the catalogues of a run in any order; a run has few. */
const selectDigests = (db: Db, { runId, point }: LastOfRun) => {
  const query = db
    .selectFrom('catalogues')
    .select(['turn', 'point', 'toolsDigest'])
    .where('runId', '=', runId);
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

interface ToolText {
  readonly text: string;
  readonly digest: string;
}

/** JSON texts of lists of tools with their digests. A list of the same objects as before is not serialized again. */
class ToolDigests {
  readonly #byFirst = new WeakMap<object, ToolText & { readonly tools: readonly object[] }>();

  of(tools: readonly object[]): ToolText {
    const [first] = tools;
    const known = first && this.#byFirst.get(first);
    if (
      known?.tools.length === tools.length &&
      known.tools.every((tool, index) => tool === tools[index])
    )
      return known;
    const text = JSON.stringify(tools);
    const found = { tools, text, digest: hash('sha256', text, 'hex') };
    if (first !== undefined) this.#byFirst.set(first, found);
    return found;
  }
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
