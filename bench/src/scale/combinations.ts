export interface Combination {
  readonly store: 'SQLite' | 'PostgreSQL';
  readonly queue: 'memory' | 'Redis' | 'PostgreSQL';
  /** Worker processes beside an API process; 0 is one process for everything. */
  readonly workers: number;
  /** Whether SQLite waits for the disk in each commit, as PostgreSQL does. Default false. */
  readonly isDurable?: boolean;
}

/** The embedded default, beside which the others are shown. */
export const EMBEDDED: Combination = { store: 'SQLite', queue: 'memory', workers: 0 };

/** The embedded default with commits that survive the end of the machine (`durability: power`). */
export const DURABLE: Combination = { ...EMBEDDED, isDurable: true };

/** The embedded default on PostgreSQL. */
export const ON_POSTGRES: Combination = { store: 'PostgreSQL', queue: 'memory', workers: 0 };

const WORKERS = [1, 2, 4];

export const combinations: readonly Combination[] = [
  EMBEDDED,
  DURABLE,
  ON_POSTGRES,
  ...(
    [
      { store: 'SQLite', queue: 'memory' },
      { store: 'SQLite', queue: 'Redis' },
      { store: 'PostgreSQL', queue: 'memory' },
      { store: 'PostgreSQL', queue: 'Redis' },
      { store: 'PostgreSQL', queue: 'PostgreSQL' },
    ] as const
  ).flatMap((engines) => WORKERS.map((workers) => ({ ...engines, workers }))),
];

/** Returns the name of a combination in a table. */
export function nameOf({ store, queue, workers, isDurable = false }: Combination): string {
  const processes =
    workers === 0
      ? 'one process'
      : `API and ${String(workers)} ${workers === 1 ? 'worker' : 'workers'}`;
  return `${store}${isDurable ? ' with durability power' : ''}, queue in ${queue}: ${processes}`;
}
