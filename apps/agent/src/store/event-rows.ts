import { storedEvents, type NewEvent } from '../ports/store/run-event.ts';
import type { Awaitable, Rows } from './rows.ts';
import { insertEvents } from './write-queries.ts';

/** Inserts the last events of a run. */
export function insertEventRows(
  connection: Rows,
  events: readonly NewEvent[],
  at: Parameters<typeof storedEvents>[1],
): Awaitable<void> {
  const rows = storedEvents(events, at).map(({ data, ...row }) => ({
    ...row,
    data: JSON.stringify(data),
  }));
  return connection.send(insertEvents, { rows });
}
