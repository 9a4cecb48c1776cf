import { sql, type Kysely } from 'kysely';
import { MAX_OPEN_ITEMS_SHOWN, type Listed, type ListReader } from '../ports/store/list.ts';
import type { InboxItem } from '../ports/store/inbox.ts';
import type { Run } from '../ports/store/run.ts';
import { MAX_LISTED_CHARACTERS, shortenObject, shortenText } from '../json/short-json.ts';
import type { Rows } from './rows.ts';
import { decodeCursor } from './cursor.ts';
import {
  inboxCodec,
  rememberedApprovalCodec,
  runCodec,
  toolCallCodec,
  type Database,
  type RunColumns,
} from './database.ts';
import { ERASED } from './erased-runs.ts';
import { hasMetadata } from './metadata-filter.ts';
import { pageByTime, pageOfRows } from './pages.ts';
import { INBOX_COLUMNS, RUN_COLUMNS } from './columns.ts';
import { searchRuns } from './search-runs.ts';

/**
 * Creates the reads of lists. They read only the visible part of long columns, so that no row makes
 * a list slow or large.
 */
export function createListReader(connection: Rows): ListReader {
  const db = connection.kysely;
  return {
    async runs({ status, kind, threadId, agentId, metadata, words, ...page }) {
      let query = listedRuns(db);
      if (status !== undefined) query = query.where('status', 'in', status);
      if (kind !== undefined) query = query.where('kind', '=', kind);
      if (threadId !== undefined) query = query.where('threadId', '=', threadId);
      if (agentId !== undefined) query = query.where('agentId', '=', agentId);
      for (const entry of Object.entries(metadata ?? {}))
        query = query.where(hasMetadata(connection, 'runs.metadata', entry));
      if (words !== undefined)
        return searchRuns(connection, query, { ...page, words, decode: listedRun });
      return pageByTime(query, page, { order: 'newest first', decode: listedRun });
    },

    async inbox({ runId, state, ...page }) {
      let query = db.selectFrom('inboxItems').select([...INBOX_COLUMNS, 'preview', shortRequest]);
      if (runId !== undefined) query = query.where('runId', '=', runId);
      if (state !== undefined) query = query.where('state', '=', state);
      return pageByTime(query, page, { order: 'oldest first', decode: listedItem });
    },

    async openInbox(runIds) {
      if (runIds.length === 0) return [];
      const rows = await connection.rows(selectOpenItems, { runIds });
      return rows.map(listedItem);
    },

    async approvals({ runId, ...page }) {
      let query = db.selectFrom('rememberedApprovals').selectAll();
      if (runId !== undefined) query = query.where('runId', '=', runId);
      return pageByTime(query, page, {
        order: 'oldest first',
        decode: (row) => rememberedApprovalCodec.decode(row),
      });
    },

    async toolCallPage(runId, { limit, cursor }) {
      let query = db
        .selectFrom('toolCalls')
        .selectAll()
        .where('runId', '=', runId)
        .orderBy('turn')
        .orderBy('position')
        .limit(limit + 1);
      if (cursor !== undefined) {
        const [turn, position] = decodeCursor(cursor);
        query = query.where((where) =>
          where(where.refTuple('turn', 'position'), '>', where.tuple(turn, Number(position))),
        );
      }
      const rows = await query.execute();
      return pageOfRows(
        rows.map((row) => toolCallCodec.salvage(row)),
        limit,
        ({ turn, position }) => [turn, String(position)],
      );
    },
  };
}

/** Selects the open items of some runs, oldest first, up to a number for each run. */
function selectOpenItems(db: Kysely<Database>, { runIds }: { readonly runIds: readonly string[] }) {
  const place = sql<number>`row_number() over (partition by ${sql.ref('runId')} order by ${sql.ref('createdAt')}, ${sql.ref('id')})`;
  const open = db
    .selectFrom('inboxItems')
    .select(['id', place.as('place')])
    .where('runId', 'in', runIds)
    .where('state', '=', 'open');
  const shown = db
    .selectFrom(open.as('ranked'))
    .select('ranked.id')
    .where('place', '<=', sql.lit(MAX_OPEN_ITEMS_SHOWN));
  return db
    .selectFrom('inboxItems')
    .select([...INBOX_COLUMNS, 'preview', shortRequest])
    .where('id', 'in', shown)
    .orderBy('createdAt')
    .orderBy('id');
}

/** Characters shown by a list and one more, to recognize longer texts. */
const TEXT_CHARACTERS = 1001;

const beginning = <T extends string | null>(column: string) =>
  sql<T>`substr(${sql.ref(column)}, 1, ${sql.lit(TEXT_CHARACTERS)})`;

const short = (column: string) =>
  sql<
    string | null
  >`case when length(${sql.ref(column)}) <= ${sql.lit(MAX_LISTED_CHARACTERS)} then ${sql.ref(column)} end`;

const isLong = sql<number>`coalesce(length(${sql.ref('output')}), 0) > ${sql.lit(MAX_LISTED_CHARACTERS)} or coalesce(length(${sql.ref('outputSchema')}), 0) > ${sql.lit(MAX_LISTED_CHARACTERS)}`;

function listedRuns(db: Kysely<Database>) {
  return db
    .selectFrom('runs')
    .select(RUN_COLUMNS)
    .select([
      beginning<string>('prompt').as('prompt'),
      beginning<string | null>('instructions').as('instructions'),
      beginning<string | null>('answer').as('answer'),
      short('output').as('output'),
      short('outputSchema').as('outputSchema'),
      isLong.as('isLong'),
    ])
    .where('status', '!=', ERASED);
}

function listedRun({
  isLong: isLeftOut,
  ...row
}: RunColumns & { readonly isLong: number }): Listed<Run> {
  const run = runCodec.salvage(row);
  const [prompt, instructions, answer] = [run.prompt, run.instructions, run.answer].map((text) =>
    text === undefined ? undefined : shortenText(text),
  );
  const isShortened =
    isLeftOut === 1 || [prompt, instructions, answer].some((text) => text?.isShortened === true);
  return {
    ...run,
    prompt: prompt?.value ?? '',
    instructions: instructions?.value,
    answer: answer?.value,
    isShortened,
  };
}

const shortRequest = sql<string>`coalesce(${sql.ref('preview')}, ${sql.ref('request')})`.as(
  'request',
);

function listedItem({ preview, ...row }: Database['inboxItems']): Listed<InboxItem> {
  const item = inboxCodec.salvage(row);
  const request = shortenObject(item.request);
  const response = item.response === undefined ? undefined : shortenObject(item.response);
  return {
    ...item,
    request: request.value,
    response: response?.value,
    isShortened: preview !== null || request.isShortened || response?.isShortened === true,
  };
}
