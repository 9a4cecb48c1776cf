import type { InteractiveContext } from '@signalbox/mcp-core/server';
import type { Today } from '../local-time.ts';
import type { CacheState, Place, WeatherProvider } from '../provider.ts';
import { unitSystems, type Units } from '../units.ts';
import { WeatherError, type WeatherErrorDetails } from '../weather-error.ts';
import { metricOfDays, type CompareMetric } from './compare-metric.ts';
import { checkRange, type Aggregate, type DateRange } from './history-summary.ts';

export interface YearComparison {
  readonly provider: WeatherProvider;
  readonly place: Place;
  readonly years: readonly number[];
  /** 1 to 12; default: the whole year. */
  readonly month: number | undefined;
  readonly metric: CompareMetric;
  readonly units: Units;
}

export type ComparedYear = { readonly query: string; readonly year: number } & (
  | ({
      readonly ok: true;
      /** The mean of the days; for precipitation their total. */
      readonly value: number | null;
      readonly cache: CacheState;
    } & Aggregate)
  | {
      readonly ok: false;
      readonly error: { readonly code: string; readonly message: string } & WeatherErrorDetails;
    }
);

/**
 * Returns the period of a year, which ends today if it has not ended.
 * @throws WeatherError `invalid-arguments` for a period before the archive begins or after today
 */
export function periodOfYear(year: number, month: number | undefined, today: Today): DateRange {
  const two = (value: number) => String(value).padStart(2, '0');
  const start = `${year}-${two(month ?? 1)}-01`;
  const last = new Date(Date.UTC(year, month ?? 12, 0)).toISOString().slice(0, 10);
  const begun = start > today.date ? start : today.date;
  const end = last > today.date && start <= today.latest ? begun : last;
  checkRange({ start, end }, today);
  return { start, end };
}

/** Reads the same period of several years, one after the other. `onDone` is called for each. */
export async function compareYears(
  comparison: YearComparison,
  periods: readonly DateRange[],
  { signal }: Pick<InteractiveContext, 'signal'>,
  onDone: (compared: ComparedYear) => PromiseLike<void>,
): Promise<readonly ComparedYear[]> {
  const compared: ComparedYear[] = [];
  for (const [index, year] of comparison.years.entries()) {
    const period = periods[index];
    if (period === undefined) continue;
    const result = await compareYear(comparison, year, period, signal);
    compared.push(result);
    await onDone(result);
  }
  return compared;
}

async function compareYear(
  { provider, place, metric, units }: YearComparison,
  year: number,
  period: DateRange,
  signal: AbortSignal,
): Promise<ComparedYear> {
  const query = String(year);
  try {
    const { value, cache } = await provider.history(place, { ...period, signal });
    const aggregate = metricOfDays(metric, value.days, unitSystems[units]);
    const shown = metric === 'precipitation' ? aggregate.total : aggregate.mean;
    return { query, year, ok: true, value: shown, ...aggregate, cache };
  } catch (error) {
    if (!(error instanceof WeatherError)) throw error;
    const { code, message, details } = error;
    return { query, year, ok: false, error: { code, message, ...details } };
  }
}
