import type { Figures, FiguresByTable } from './figures.ts';
import { subjects, type Subject } from './implementations.ts';
import type { Load } from './load.ts';
import { measureClient } from './measure-client.ts';
import { measureServer } from './measure-server.ts';
import { measureStart } from './measure-start.ts';
import type { Row } from './tables.ts';

export interface RunOptions {
  readonly load: Load;
  /** For every process that runs a library. */
  readonly nodeArguments: readonly string[];
  /** Hears what is about to be measured. */
  readonly onSubject: (subject: Subject, round: number) => void;
}

/** Measures every subject in turn, round after round, so that other load on the machine hits all of them. Resolves with rows by table. */
export async function runRounds({ load, nodeArguments, onSubject }: RunOptions): Promise<ReadonlyMap<string, readonly Row[]>> {
  const results = new Map<string, Map<Subject, Figures[]>>();
  for (let round = 1; round <= load.rounds; round += 1) {
    for (const subject of subjects) {
      onSubject(subject, round);
      for (const measure of [measureStart, measureServer, measureClient]) {
        keep(results, subject, await measure(subject, load, nodeArguments));
      }
    }
  }
  return new Map([...results].map(([key, bySubject]) => [key, [...bySubject].map(([subject, rounds]) => ({ subject, rounds }))]));
}

function keep(results: Map<string, Map<Subject, Figures[]>>, subject: Subject, measured: FiguresByTable): void {
  for (const [key, figures] of Object.entries(measured)) {
    const bySubject = results.get(key) ?? new Map<Subject, Figures[]>();
    results.set(key, bySubject);
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), figures]);
  }
}
