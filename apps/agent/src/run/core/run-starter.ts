import type { KeyLimits } from '../../ports/api-key.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RunnableRun } from '../../ports/store/sweep.ts';
import type { StoreReader } from '../../ports/store.ts';

type Reads = Pick<StoreReader, 'runnableRuns' | 'runsInProgress'>;

interface Start {
  readonly at: number;
  /** Position among the starts of this process, which can be at the same millisecond. */
  readonly order: number;
}

/** `key-full`: the API key of the run has as many runs in progress as it may have. */
export type StartOutcome = 'started' | 'not-queued' | 'key-full';

const NEVER: Start = { at: -1, order: -1 };

/**
 * Chooses the runs that begin in this process: of the API keys with waiting runs the one whose last
 * run began longest ago, and of its runs the first. Jobs that choose at the same time get different
 * runs.
 */
export class RunStarter {
  readonly #read: Reads;
  readonly #clock: Clock;
  readonly #keyLimits: (apiKey: string) => KeyLimits;
  readonly #beginning = new Set<string>();
  /** Last choice of each key, which the store may not have yet. */
  readonly #chosen = new Map<string, Start>();
  #choices = 0;
  #choosing: Promise<unknown> = Promise.resolve();

  constructor({
    read,
    clock,
    keyLimits,
  }: {
    readonly read: Reads;
    readonly clock: Clock;
    readonly keyLimits: (apiKey: string) => KeyLimits;
  }) {
    this.#read = read;
    this.#clock = clock;
    this.#keyLimits = keyLimits;
  }

  /**
   * Begins the run that is next with `begin`. When it does not start, because another process was
   * faster or it must wait, continues with the run after it.
   */
  async startNext(begin: (runId: string) => Promise<StartOutcome>): Promise<void> {
    const fullKeys = new Set<string>();
    for (const tried = new Set<string>(); ;) {
      const run = await this.#choose(tried, fullKeys);
      if (run === undefined) return;
      tried.add(run.id);
      try {
        const outcome = await begin(run.id);
        if (outcome === 'started') return;
        if (outcome === 'key-full') fullKeys.add(run.apiKey);
      } finally {
        this.#beginning.delete(run.id);
      }
    }
  }

  /** Returns the runs whose API keys may have further runs in progress. */
  async withRoom(runs: readonly RunnableRun[]): Promise<readonly RunnableRun[]> {
    const fullKeys = new Set<string>();
    for (const apiKey of new Set(runs.map((run) => run.apiKey))) {
      const { runningRuns } = this.#keyLimits(apiKey);
      if (runningRuns !== undefined && (await this.#read.runsInProgress(apiKey)) >= runningRuns)
        fullKeys.add(apiKey);
    }
    return runs.filter(({ apiKey }) => !fullKeys.has(apiKey));
  }

  #choose(
    tried: ReadonlySet<string>,
    fullKeys: ReadonlySet<string>,
  ): Promise<RunnableRun | undefined> {
    const choice = this.#choosing.then(async () => {
      const perKey = this.#beginning.size + tried.size + 1;
      const runs = await this.withRoom(await this.#read.runnableRuns({ perKey }));
      const free = runs.filter(
        ({ id, apiKey }) => !this.#beginning.has(id) && !tried.has(id) && !fullKeys.has(apiKey),
      );
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
