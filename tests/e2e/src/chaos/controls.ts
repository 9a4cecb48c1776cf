import type { ChaosOptions, Guard } from './chaos.ts';
import type { FaultKind } from './faults.ts';

/** A test with a guard switched off, which must report a problem. */
export interface Control {
  readonly name: string;
  readonly options: Pick<ChaosOptions, 'guardOff' | 'losesSignals' | 'concurrency'> & {
    readonly kinds: readonly FaultKind[];
  };
  /** The problem that the missing guard causes. */
  readonly harm: RegExp;
}

const control = (
  name: string,
  kind: FaultKind,
  more: Pick<Control, 'harm'> & {
    readonly guardOff?: Guard;
    readonly losesSignals?: true;
    readonly concurrency?: number;
  },
): Control => {
  const { harm, ...options } = more;
  return { name, options: { kinds: [kind], ...options }, harm };
};

const TWICE = /append of turn \d+ has [2-9] effects/;
const STANDS_STILL = /no event came within|the test did not end/;

/** Contains a control for each protection. */
export const controls: readonly Control[] = [
  control('without the rule of the ledger', 'kill-worker', { guardOff: 'ledger', harm: TWICE }),
  control('without the fence of leases and owners', 'long-freeze-worker', {
    guardOff: 'fence',
    harm: /effects|the fold of the events|nobody was asked|is unknown|is dispatched/,
  }),
  control('without recovery', 'kill-worker', { guardOff: 'recovery', harm: STANDS_STILL }),
  control('without the claim of a call', 'duplicate-jobs', { guardOff: 'claim', harm: TWICE }),
  control('without the sweep for lost jobs', 'flush-redis', {
    guardOff: 'sweep',
    concurrency: 1,
    harm: STANDS_STILL,
  }),
  control('without looks at the store for lost signals', 'drop-redis', {
    guardOff: 'look',
    losesSignals: true,
    harm: STANDS_STILL,
  }),
  control('without idempotency keys of requests', 'lose-responses', {
    guardOff: 'key',
    harm: /runs are stored, not/,
  }),
  control('without the refusal of a migration that is not additive', 'migrate-in-use', {
    harm: /no event came within|the test did not end|the run is failed/,
  }),
];
