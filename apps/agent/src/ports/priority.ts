/** Priorities of a run, most urgent first. */
export const PRIORITIES = ['high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * Milliseconds that each priority can wait: a run is not overtaken by runs of the same API key that
 * were created later than this after it. The index `queued_runs` contains these values: a change needs a
 * migration.
 */
export const PATIENCE_MS: { readonly [P in Priority]: number } = {
  high: 0,
  normal: 10 * 60_000,
  low: 60 * 60_000,
};
