import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Files of the test server and rows of the database, which are read without the service. */
export class Evidence {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the effects so far, each as `RUN TURN TOOL PID`, with the id of the worker's process. */
  effects(): readonly string[] {
    return linesOf(join(this.#folder, 'effects'));
  }

  /** Returns the process of the worker that made the last effect, if that was one of a write. */
  lastWriter(): number | undefined {
    const [, , tool, pid] = this.effects().at(-1)?.split(' ') ?? [];
    return tool === 'append' ? Number(pid) : undefined;
  }

  /** Returns the number of effects of a call, which `RUN TURN` names. */
  effectsOf(call: string): number {
    return this.effects().filter((line) => line.startsWith(`${call} `)).length;
  }

  /** Returns the ids of the server processes that are alive. */
  aliveServers(): readonly number[] {
    return linesOf(join(this.#folder, 'servers'))
      .map(Number)
      .filter((pid) => isAlive(pid));
  }

  workers(): readonly { readonly pid: number; readonly endedAt: number | null }[] {
    return this.#read((database) =>
      database
        .prepare<[], { pid: number; endedAt: number | null }>(
          'select pid, ended_at as endedAt from workers',
        )
        .all(),
    );
  }

  /** Returns the stored messages of the model, in order. */
  messages(runId: string): readonly (readonly [turn: number, messageId: string])[] {
    return this.#read((database) =>
      database
        .prepare<[string], { turn: number; id: string }>(
          "select turn, id from messages where role = 'assistant' and run_id = ? order by position",
        )
        .all(runId)
        .map(({ turn, id }) => [turn, id] as const),
    );
  }

  #read<T>(work: (database: Database.Database) => T): T {
    const database = new Database(join(this.#folder, 'data', 'signalbox.sqlite'), {
      readonly: true,
    });
    try {
      return work(database);
    } finally {
      database.close();
    }
  }
}

function linesOf(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
