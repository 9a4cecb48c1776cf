import type { Clock } from '../../ports/clock.ts';
import type { RunnableRun } from '../../ports/store/sweep.ts';
import type { StoreReader } from '../../ports/store.ts';

interface Start {
  readonly at: number;
  /** Position among the starts of this process, which can be at the same millisecond. */
  readonly order: number;
}

const NEVER: Start = { at: -1, order: -1 };

/**
 * Chooses the runs that begin in this process: of the API keys with waiting runs the one whose last
 * run began longest ago, and of its runs the first. Jobs that choose at the same time get different
 * runs.
 */
export class RunStarter {
  readonly #read: Pick<StoreReader, 'runnableRuns'>;
  readonly #clock: Clock;
  readonly #beginning = new Set<string>();
  /** Last choice of each key, which the store may not have yet. */
  readonly #chosen = new Map<string, Start>();
  #choices = 0;
  #choosing: Promise<unknown> = Promise.resolve();

  constructor({
    read,
    clock,
  }: {
    readonly read: Pick<StoreReader, 'runnableRuns'>;
    readonly clock: Clock;
  }) {
    this.#read = read;
    this.#clock = clock;
  }

  /**
   * Begins the run that is next with `begin`. When that returns false, because another process was
   * faster or the run must wait, continues with the run after it.
   */
  async startNext(begin: (runId: string) => Promise<boolean>): Promise<void> {
    for (const tried = new Set<string>(); ;) {
      const run = await this.#choose(tried);
      if (run === undefined) return;
      tried.add(run.id);
      try {
        if (await begin(run.id)) return;
      } finally {
        this.#beginning.delete(run.id);
      }
    }
  }

  #choose(tried: ReadonlySet<string>): Promise<RunnableRun | undefined> {
    const choice = this.#choosing.then(async () => {
      const perKey = this.#beginning.size + tried.size + 1;
      const runs = await this.#read.runnableRuns({ perKey });
      const free = runs.filter(({ id }) => !this.#beginning.has(id) && !tried.has(id));
      const chosen = this.#first(free);
      if (chosen === undefined) return undefined;
      this.#beginning.add(chosen.id);
      this.#chosen.set(chosen.apiKey, { at: this.#clock.now(), order: this.#choices++ });
      return chosen;
    });
    this.#choosing = choice.catch(() => undefined);
    return choice;
  }

  /** Returns the run of the key whose last run began longest ago. `runs` are in the order of their keys. */
  #first(runs: readonly RunnableRun[]): RunnableRun | undefined {
    let first: { readonly run: RunnableRun; readonly last: Start } | undefined;
    for (const run of runs) {
      const last = this.#lastStart(run);
      if (first === undefined || isBefore(last, first.last)) first = { run, last };
    }
    return first?.run;
  }

  #lastStart({ apiKey, lastStartAt = -1 }: RunnableRun): Start {
    const own = this.#chosen.get(apiKey) ?? NEVER;
    return own.at >= lastStartAt ? own : { at: lastStartAt, order: -1 };
  }
}

function isBefore(left: Start, right: Start): boolean {
  return left.at === right.at ? left.order < right.order : left.at < right.at;
}
