/** The numbers of a chart. */
export interface ChartData {
  /** Name of the horizontal axis. */
  readonly x: string;
  /** Values of the horizontal axis: text, such as dates, numbers or NULL. */
  readonly labels: readonly (string | number | null)[];
  /** Each series has a value, or `null`, for each label. */
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly (number | null)[];
  }[];
}
