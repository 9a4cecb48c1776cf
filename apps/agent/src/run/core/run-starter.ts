import type { StoreReader } from '../../ports/store.ts';

/** Chooses the runs that begin in this process. Jobs that choose at the same time get different runs. */
export class RunStarter {
  readonly #read: Pick<StoreReader, 'runnableRuns'>;
  readonly #beginning = new Set<string>();
  #choosing: Promise<unknown> = Promise.resolve();

  constructor(read: Pick<StoreReader, 'runnableRuns'>) {
    this.#read = read;
  }

  /**
   * Begins the run that is next with `begin`. When that returns false, because another process was
   * faster or the run must wait, continues with the run after it.
   */
  async startNext(begin: (runId: string) => Promise<boolean>): Promise<void> {
    for (const tried = new Set<string>(); ;) {
      const runId = await this.#choose(tried);
      if (runId === undefined) return;
      tried.add(runId);
      try {
        if (await begin(runId)) return;
      } finally {
        this.#beginning.delete(runId);
      }
    }
  }

  #choose(tried: ReadonlySet<string>): Promise<string | undefined> {
    const choice = this.#choosing.then(async () => {
      const limit = this.#beginning.size + tried.size + 1;
      const runs = await this.#read.runnableRuns({ limit });
      const chosen = runs.find((id) => !this.#beginning.has(id) && !tried.has(id));
      if (chosen !== undefined) this.#beginning.add(chosen);
      return chosen;
    });
    this.#choosing = choice.catch(() => undefined);
    return choice;
  }
}
