import { median, type Figures } from './figures.ts';

/** An implementation in a variant, measured in each round. */
export interface Measured {
  readonly implementation: string;
  readonly variant: string;
}

/** Figures of one implementation in one variant, by round. */
export interface Row extends Measured {
  readonly rounds: readonly Figures[];
}

/** Collects the figures of all rounds, by table. */
export class Results {
  readonly #tables = new Map<string, Map<Measured, Figures[]>>();

  add(run: Measured, table: string, figures: Figures): void {
    const byRun = this.#tables.get(table) ?? new Map<Measured, Figures[]>();
    this.#tables.set(table, byRun);
    byRun.set(run, [...(byRun.get(run) ?? []), figures]);
  }

  /** Returns no rows for a table without measurements. */
  rowsOf(table: string): readonly Row[] {
    return [...(this.#tables.get(table) ?? [])].map(([{ implementation, variant }, rounds]) => ({
      implementation,
      variant,
      rounds,
    }));
  }

  /** Returns the median over the rounds; NaN if it was not measured. */
  medianOf(table: string, { implementation, variant }: Measured, figure: string): number {
    const row = this.rowsOf(table).find(
      (each) => each.implementation === implementation && each.variant === variant,
    );
    return row === undefined ? Number.NaN : medianOf(row, figure);
  }
}

/** Returns the median over the rounds; NaN if a round lacks the figure. */
export function medianOf({ rounds }: Row, figure: string): number {
  return median(rounds.map((figures) => figures[figure] ?? Number.NaN));
}
