import { afterEach } from 'vitest';
import type { Store } from '../store.ts';

/** Opens an empty store whose clock stands at 1234. */
export type OpenStore = () => Promise<Store>;

/** Returns `open`, and closes after each test the store that was opened last. */
export function openForTest(open: OpenStore): OpenStore {
  let opened: Store | undefined;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  return async () => (opened = await open());
}
