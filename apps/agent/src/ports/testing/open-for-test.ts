import { afterEach } from 'vitest';
import type { Clock } from '../clock.ts';
import type { Store } from '../store.ts';

/** Opens an empty store. By default its clock stands at 1234. */
export type OpenStore = (clock?: Clock) => Promise<Store>;

/** Returns `open`, and closes after each test the store that was opened last. */
export function openForTest(open: OpenStore): OpenStore {
  let opened: Store | undefined;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  return async (clock) => (opened = await open(clock));
}
