import type { Migration } from 'kysely/migration';

/**
 * Changes nothing. A process that uses a database with this migration tolerates additive migrations
 * by a later version; earlier versions, which do not, refuse the database.
 */
export const rollingUpdates: Migration = {
  up: () => Promise.resolve(),
};
