import { median, type Figures } from './figures.ts';
import type { Run } from './runs.ts';

/** What one implementation gave in each round, in one variant. */
export interface Row {
  readonly implementation: string;
  readonly variant: string;
  readonly rounds: readonly Figures[];
}

/** The figures of all rounds, by table. */
export class Results {
  readonly #tables = new Map<string, Map<Run, Figures[]>>();

  add(run: Run, table: string, figures: Figures): void {
    const byRun = this.#tables.get(table) ?? new Map<Run, Figures[]>();
    this.#tables.set(table, byRun);
    byRun.set(run, [...(byRun.get(run) ?? []), figures]);
  }

  /** Empty for a table that nothing was measured for. */
  rowsOf(table: string): readonly Row[] {
    return [...(this.#tables.get(table) ?? [])].map(([{ implementation, variant }, rounds]) => ({ implementation, variant, rounds }));
  }

  /** The median over the rounds; NaN where it was not measured. */
  medianOf(table: string, { implementation, variant }: Pick<Row, 'implementation' | 'variant'>, figure: string): number {
    const row = this.rowsOf(table).find((each) => each.implementation === implementation && each.variant === variant);
    return row === undefined ? Number.NaN : medianOf(row, figure);
  }
}

/** The median over the rounds; NaN where a round has no such figure. */
export function medianOf({ rounds }: Row, figure: string): number {
  return median(rounds.map((figures) => figures[figure] ?? Number.NaN));
}
