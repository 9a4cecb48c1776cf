import { sql, type Insertable, type Kysely, type SqlBool } from 'kysely';
import type { Run, RunPatch } from '../ports/store/run.ts';
import type { RunTextReader, RunTextWriter } from '../ports/store/run-texts.ts';
import { foldText } from '../text/search-text.ts';
import { runCodec, type Database, type RunColumns } from './database.ts';
import { ERASED } from './erased-runs.ts';
import { ONE } from './read-queries.ts';
import type { Awaitable, Rows } from './rows.ts';

type Db = Kysely<Database>;

interface RunChange {
  readonly id: string;
  readonly patch: Partial<RunColumns>;
}

/** Characters of the task and of the answer that are searched. */
const MAX_TEXT = 4000;
/** Characters of the name of an agent and of an error that are searched. */
const MAX_SHORT_TEXT = 500;

/** Whether the search text of a run is missing or lacks how the run ended. */
const IS_MISSING = sql<SqlBool>`text_covers_end is distinct from finished_at`;

const insertRunRow = (db: Db, row: Insertable<Database['runs']>) =>
  db.insertInto('runs').values(row);

const insertText = (db: Db, row: Insertable<Database['runTexts']>) =>
  db.insertInto('runTexts').values(row);

const updateOutcome = (
  db: Db,
  { runId, outcome }: { readonly runId: string; readonly outcome: string },
) => db.updateTable('runTexts').set({ outcome }).where('runId', '=', runId);

/** Updates a run. A run without a search text remains marked as such when it ends. */
const updateRunRow = (db: Db, { id, patch }: RunChange) => {
  const covered =
    patch.finishedAt === undefined
      ? {}
      : {
          textCoversEnd: sql<
            number | null
          >`case when text_covers_end = -1 then -1 else cast(${patch.finishedAt} as bigint) end`,
        };
  return db
    .updateTable('runs')
    .set({ ...patch, ...covered })
    .where('id', '=', id);
};

const selectAgentName = (db: Db, { id }: { readonly id: string }) =>
  db.selectFrom('agents').select('name').where('id', '=', id);

/** Inserts a run with its search text. */
export async function insertRun(rows: Rows, run: Run): Promise<void> {
  const { agentId, finishedAt = null } = run;
  await rows.send(insertRunRow, { ...runCodec.encode(run), textCoversEnd: finishedAt });
  const agent =
    agentId === undefined ? undefined : await rows.first(selectAgentName, { id: agentId });
  await rows.send(insertText, textOf(run, agent?.name));
}

/** Updates a run, and its search text when the run ends or is resumed. */
export function updateRun(rows: Rows, change: RunChange): Awaitable<void> {
  return change.patch.finishedAt === undefined
    ? rows.send(updateRunRow, change)
    : updateWithText(rows, change);
}

async function updateWithText(rows: Rows, change: RunChange): Promise<void> {
  const { id, patch } = change;
  await rows.send(updateRunRow, change);
  const { answer, error } = runCodec.decode({
    answer: patch.answer ?? null,
    error: patch.error ?? null,
  });
  await rows.send(updateOutcome, { runId: id, outcome: outcomeText({ answer, error }) });
}

const selectMissing = (db: Db) =>
  db.selectFrom('runs').select('id').where(IS_MISSING).where('status', '!=', ERASED).limit(ONE);

/** Creates the reader of search texts that are missing. */
export function createRunTextReader(rows: Rows): RunTextReader {
  return {
    lacksTexts: async () => (await rows.first(selectMissing, {})) !== undefined,
  };
}

/** Creates the writer of search texts that are missing. */
export function createRunTextWriter({ kysely: db, dialect }: Rows): RunTextWriter {
  return {
    async addMissingTexts(limit) {
      const missing = db
        .selectFrom('runs')
        .select(['id', 'createdAt', 'finishedAt', 'error'])
        .select([
          beginning('prompt').$castTo<string>().as('prompt'),
          beginning('answer').$castTo<string | null>().as('answer'),
        ])
        .select((run) =>
          run
            .selectFrom('agents')
            .select('agents.name')
            .whereRef('agents.id', '=', 'runs.agentId')
            .as('agentName'),
        )
        .where(IS_MISSING)
        .where('status', '!=', ERASED)
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      const found = await (
        dialect === 'postgres' ? missing.forUpdate('runs').skipLocked() : missing
      ).execute();
      if (found.length === 0) return 0;
      await db
        .insertInto('runTexts')
        .values(
          found.map(({ agentName, ...row }) =>
            textOf(runCodec.salvage(row as RunColumns), agentName ?? undefined),
          ),
        )
        .onConflict((conflict) =>
          conflict.column('runId').doUpdateSet((given) => ({
            request: given.ref('excluded.request'),
            outcome: given.ref('excluded.outcome'),
          })),
        )
        .execute();
      await db
        .updateTable('runs')
        .set((run) => ({ textCoversEnd: run.ref('finishedAt') }))
        .where(
          'id',
          'in',
          found.map(({ id }) => id),
        )
        .execute();
      return found.length;
    },
  };
}

function textOf(
  run: Pick<Run, 'id' | 'prompt' | 'createdAt' | 'answer' | 'error'>,
  agentName: string | undefined,
): Insertable<Database['runTexts']> {
  return {
    runId: run.id,
    runCreatedAt: run.createdAt,
    request: [
      foldText(run.id),
      folded(agentName, MAX_SHORT_TEXT),
      folded(run.prompt, MAX_TEXT),
    ].join('\n'),
    outcome: outcomeText(run),
  };
}

function outcomeText({ answer, error }: Pick<RunPatch, 'answer' | 'error'>): string {
  return [
    folded(answer, MAX_TEXT),
    folded(error?.code, MAX_SHORT_TEXT),
    folded(error?.message, MAX_SHORT_TEXT),
  ].join('\n');
}

function folded(text: string | undefined, max: number): string {
  return foldText(text?.slice(0, max) ?? '').slice(0, max);
}

const beginning = (column: 'prompt' | 'answer') =>
  sql`substr(${sql.ref(column)}, 1, ${sql.lit(MAX_TEXT)})`;
