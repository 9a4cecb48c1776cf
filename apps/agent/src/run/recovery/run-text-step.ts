import type { Store } from '../../ports/store.ts';
import type { SweepStep } from './sweep.ts';

/** Maximum number of runs of one sweep, whose transaction takes a few milliseconds. */
const BATCH = 100;
/** Milliseconds to the next sweep while more texts are missing. */
const PAUSE_MS = 50;

/** Creates the step of a sweep that stores missing search texts of runs. */
export function runTextStep(store: Pick<Store, 'read' | 'write'>): SweepStep {
  return {
    name: 'storing search texts of runs',
    async run({ now }) {
      if (!(await store.read.lacksTexts())) return undefined;
      const added = await store.write({}, (sql) => sql.addMissingTexts(BATCH));
      return added === BATCH ? now + PAUSE_MS : undefined;
    },
  };
}
