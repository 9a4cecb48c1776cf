import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EffectsFile } from './effects-file.ts';

/** Files of the test servers, and the events that readers received. */
export class Evidence {
  readonly effects: EffectsFile;
  readonly #servers: string;
  readonly #lastSeqs = new Map<string, number>();

  /** `folder` is that of the service. */
  constructor(folder: string) {
    this.effects = new EffectsFile(join(folder, 'effects'));
    this.#servers = join(folder, 'servers');
  }

  /** Returns the ids of the server processes that are alive. */
  aliveServers(): readonly number[] {
    if (!existsSync(this.#servers)) return [];
    return readFileSync(this.#servers, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map(Number)
      .filter((pid) => isAlive(pid));
  }

  /** Notes that the steady reader of a run received an event. */
  received(runId: string, seq: number): void {
    this.#lastSeqs.set(runId, seq);
  }

  /** Returns the runs of which no event came after the given one. */
  standing(lastSeqs: ReadonlyMap<string, number>): readonly string[] {
    return [...lastSeqs]
      .filter(([runId, seq]) => (this.#lastSeqs.get(runId) ?? 0) <= seq)
      .map(([runId]) => runId);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
