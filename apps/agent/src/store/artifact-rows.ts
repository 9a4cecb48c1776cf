import type { ArtifactReader, ArtifactWriter } from '../ports/store/artifact.ts';
import type { Rows } from './rows.ts';
import { artifactCodec } from './database.ts';
import { fromIndex } from './from-index.ts';
import { pageByTime } from './pages.ts';

/**
 * The table, read from its index without the content only. SQLite would choose the primary key and
 * read past the content to the columns after it; PostgreSQL keeps long values apart from the others.
 */
const withoutContent = ({ dialect }: Rows) => fromIndex(dialect, 'artifacts', 'artifact_lists');

const LISTED_COLUMNS = [
  'id',
  'runId',
  'callId',
  'mediaType',
  'bytes',
  'originalBytes',
  'createdAt',
] as const;

/** Maximum number of uploads that one transaction deletes. */
const UPLOADS_AT_ONCE = 10;

/** Uploads that belong to no run. */
function unusedUploads(connection: Rows) {
  return connection.kysely
    .selectFrom(withoutContent(connection))
    .where('artifacts.runId', '=', '')
    .where((artifact) =>
      artifact.not(
        artifact.exists(
          artifact
            .selectFrom('artifactOwners')
            .select('artifactOwners.runId')
            .whereRef('artifactOwners.artifactId', '=', 'artifacts.id'),
        ),
      ),
    );
}

/** Creates the reads of artifacts. */
export function createArtifactReader(connection: Rows): ArtifactReader {
  const db = connection.kysely;
  return {
    async artifact(id) {
      const row = await db
        .selectFrom('artifacts')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && artifactCodec.decode(row);
    },

    artifacts: (runId, page) =>
      pageByTime(
        db
          .selectFrom(withoutContent(connection))
          .select(LISTED_COLUMNS)
          .where('id', 'in', (owned) =>
            owned.selectFrom('artifactOwners').select('artifactId').where('runId', '=', runId),
          ),
        page,
        { order: 'oldest first', decode: (row) => row },
      ),

    unusedUploads: (page) =>
      pageByTime(unusedUploads(connection).select(LISTED_COLUMNS), page, {
        order: 'newest first',
        decode: (row) => row,
      }),

    async ownsArtifact({ id, threadId }, artifactId) {
      let query = db
        .selectFrom('artifactOwners')
        .innerJoin('runs', 'runs.id', 'artifactOwners.runId')
        .select('runs.id')
        .where('artifactId', '=', artifactId);
      query =
        threadId === undefined
          ? query.where('runs.id', '=', id)
          : query.where((where) =>
              where.or([where('runs.id', '=', id), where('threadId', '=', threadId)]),
            );
      return (await query.limit(1).executeTakeFirst()) !== undefined;
    },
  };
}

/**
 * Name of the lock that is shared by transactions which give stored artifacts to a run, and
 * exclusive for one that deletes artifacts without a run.
 */
export const ARTIFACTS_LOCK = 'artifacts';

/** Creates the writes of artifacts. */
export function createArtifactWriter(connection: Rows): ArtifactWriter {
  const db = connection.kysely;
  return {
    async insertArtifact(artifact) {
      await db.insertInto('artifacts').values(artifactCodec.encode(artifact)).execute();
      if (artifact.runId === '') return;
      await db
        .insertInto('artifactOwners')
        .values({ runId: artifact.runId, artifactId: artifact.id })
        .execute();
    },

    async attachArtifact(artifactId, runId) {
      await connection.lock(ARTIFACTS_LOCK, 'shared');
      const artifact = await db
        .selectFrom(withoutContent(connection))
        .select(LISTED_COLUMNS)
        .where('id', '=', artifactId)
        .executeTakeFirst();
      if (artifact !== undefined)
        await db
          .insertInto('artifactOwners')
          .values({ runId, artifactId })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      return artifact;
    },

    async deleteUploads(before) {
      await connection.lock(ARTIFACTS_LOCK);
      const due = await unusedUploads(connection)
        .select('id')
        .where('createdAt', '<=', before)
        .limit(UPLOADS_AT_ONCE)
        .execute();
      const ids = due.map(({ id }) => id);
      if (ids.length > 0) await db.deleteFrom('artifacts').where('id', 'in', ids).execute();
      return ids.length === UPLOADS_AT_ONCE;
    },

    async shareArtifacts({ id, threadId, threadPosition = 0 }, to) {
      await connection.lock(ARTIFACTS_LOCK, 'shared');
      let runs = db.selectFrom('runs').select('id').where('id', '=', id);
      if (threadId !== undefined)
        runs = db
          .selectFrom('runs')
          .select('id')
          .where('threadId', '=', threadId)
          .where('threadPosition', '<=', threadPosition);
      const owned = await db
        .selectFrom('artifactOwners')
        .select('artifactId')
        .distinct()
        .where('runId', 'in', runs)
        .execute();
      if (owned.length > 0)
        await db
          .insertInto('artifactOwners')
          .values(owned.map(({ artifactId }) => ({ runId: to, artifactId })))
          .execute();
    },
  };
}
