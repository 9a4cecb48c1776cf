import type { Kysely } from 'kysely';
import type { ToolPins } from '../ports/tool-pins.ts';
import { toolPinCodec, type Database } from './database.ts';

/** Maximum number of rows in a statement; SQLite allows 32,766 values. */
const ROWS_AT_ONCE = 500;

/** Creates the store of tool pins. A read may miss a write that has not resolved. */
export function createToolPins({
  reader,
  write,
}: {
  readonly reader: Kysely<Database>;
  /** Runs work in a transaction on the write connection. */
  readonly write: (work: (writer: Kysely<Database>) => Promise<void>) => Promise<void>;
}): ToolPins {
  return {
    async of(server) {
      const rows = await reader
        .selectFrom('toolPins')
        .selectAll()
        .where('server', '=', server)
        .orderBy('tool')
        .execute();
      return rows.map((row) => toolPinCodec.decode(row));
    },

    async keep(pins) {
      if (pins.length === 0) return;
      await write(async (writer) => {
        for (let from = 0; from < pins.length; from += ROWS_AT_ONCE) {
          const rows = pins.slice(from, from + ROWS_AT_ONCE).map((pin) => toolPinCodec.encode(pin));
          await writer
            .insertInto('toolPins')
            .values(rows)
            .onConflict((conflict) =>
              conflict.columns(['server', 'tool']).doUpdateSet((row) => ({
                parts: row.ref('excluded.parts'),
                definition: row.ref('excluded.definition'),
                firstSeenAt: row.ref('excluded.firstSeenAt'),
                acceptedAt: row.ref('excluded.acceptedAt'),
              })),
            )
            .execute();
        }
      });
    },
  };
}
