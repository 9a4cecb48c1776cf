import { median, type Figures } from './figures.ts';

/** What is measured in each round: an implementation, and what it is compared with others within. */
export interface Measured {
  readonly implementation: string;
  readonly variant: string;
}

/** What one implementation gave in each round, in one variant. */
export interface Row extends Measured {
  readonly rounds: readonly Figures[];
}

/** The figures of all rounds, by table. */
export class Results {
  readonly #tables = new Map<string, Map<Measured, Figures[]>>();

  add(run: Measured, table: string, figures: Figures): void {
    const byRun = this.#tables.get(table) ?? new Map<Measured, Figures[]>();
    this.#tables.set(table, byRun);
    byRun.set(run, [...(byRun.get(run) ?? []), figures]);
  }

  /** Empty for a table that nothing was measured for. */
  rowsOf(table: string): readonly Row[] {
    return [...(this.#tables.get(table) ?? [])].map(([{ implementation, variant }, rounds]) => ({
      implementation,
      variant,
      rounds,
    }));
  }

  /** The median over the rounds; NaN where it was not measured. */
  medianOf(table: string, { implementation, variant }: Measured, figure: string): number {
    const row = this.rowsOf(table).find(
      (each) => each.implementation === implementation && each.variant === variant,
    );
    return row === undefined ? Number.NaN : medianOf(row, figure);
  }
}

/** The median over the rounds; NaN where a round has no such figure. */
export function medianOf({ rounds }: Row, figure: string): number {
  return median(rounds.map((figures) => figures[figure] ?? Number.NaN));
}
