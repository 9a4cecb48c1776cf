import {
  defineTool,
  type InteractiveContext,
  type StructuredOutput,
} from '@signalbox/mcp-core/server';
import { withTask } from '@signalbox/server-kit';
import {
  ambiguousPlace,
  placeLabel,
  resolveLocation,
  resolveOrAsk,
} from '../location/resolve-location.ts';
import { todayIn } from '../local-time.ts';
import {
  MAX_FORECAST_DAYS,
  type CacheState,
  type DailyWeather,
  type Origin,
  type WeatherProvider,
} from '../provider.ts';
import { unitSystems, type Units } from '../units.ts';
import { WeatherError, type WeatherErrorDetails } from '../weather-error.ts';
import { COMPARE_METRICS, metricOf, metricUnit, type CompareMetric } from './compare-metric.ts';
import { compareYears, periodOfYear, type ComparedYear } from './compare-years.ts';
import type { DateRange } from './history-summary.ts';
import { locationInput, locationOutput } from './location-output.ts';
import { provenance, provenanceSchema, withProvenance } from './provenance.ts';
import {
  measured,
  nullableNumber,
  readsTheWorld,
  unitsInput,
  type ToolSetup,
} from './tool-setup.ts';

export function weatherCompareTool(setup: ToolSetup) {
  const { defaultUnits } = setup;
  return defineTool({
    name: 'weather_compare',
    title: 'Compare places or years',
    description:
      'Ranks 2 to 50 places by their forecast from today on, or the same period of several years at one place. A place or year that fails has its own error; ambiguous names in locations are an error.',
    inputSchema: {
      type: 'object',
      properties: {
        locations: { type: 'array', items: locationInput, minItems: 2, maxItems: 50 },
        location: { ...locationInput, description: 'With years, instead of locations.' },
        years: {
          type: 'array',
          items: { type: 'integer', minimum: 1940, maximum: 2200 },
          minItems: 2,
          maxItems: 50,
          uniqueItems: true,
        },
        month: {
          type: 'integer',
          minimum: 1,
          maximum: 12,
          description: 'Of the years. Default the whole year.',
        },
        metric: { type: 'string', enum: COMPARE_METRICS, description: 'Default temperature_max.' },
        days: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_FORECAST_DAYS,
          description: 'Of the forecast. Default 1: today only.',
        },
        units: unitsInput(setup),
      },
      additionalProperties: false,
    },
    outputSchema,
    task: 'optional',
    annotations: readsTheWorld,
    handler: async (args, context): Promise<StructuredOutput> => {
      const { locations, location, years, month, days } = args;
      const { metric = 'temperature_max', units = defaultUnits } = args;
      if (
        locations !== undefined &&
        location === undefined &&
        years === undefined &&
        month === undefined
      )
        return comparePlaces({ ...setup, context, metric, units }, locations, days ?? 1);
      if (
        locations === undefined &&
        location !== undefined &&
        years !== undefined &&
        days === undefined
      )
        return compareYearsAt({ ...setup, context, metric, units }, { location, years, month });
      throw new WeatherError(
        'invalid-arguments',
        'Give either locations, with days if you like, or location and years, with month if you like.',
      );
    },
  });
}

interface Setting extends ToolSetup {
  readonly context: InteractiveContext;
  readonly metric: CompareMetric;
  readonly units: Units;
}

async function comparePlaces(
  { provider, context, metric, units }: Setting,
  locations: readonly string[],
  days: number,
): Promise<StructuredOutput> {
  const system = unitSystems[units];
  const unit = metricUnit(metric, system.labels);
  const { signal } = context;
  let done = 0;
  const compareOne = async (query: string): Promise<Compared> => {
    const compared = await compareAt(query, {
      provider,
      signal,
      days,
      valueOf: (daily) => metricOf(metric, daily, system),
    });
    done += 1;
    await context.progress({
      progress: done,
      total: locations.length,
      message: `${query}: ${compared.ok ? measured(compared.value, unit) : 'failed'}`,
    });
    return compared;
  };
  const results = await withTask(context, () => mapAtOnce(locations, compareOne, placesAtOnce));
  const ranking = rank(results);
  const failures = results.filter((result) => !result.ok);
  const text = [
    `${metric} over ${days === 1 ? 'today' : `${days} days`}, highest first:`,
    ...ranking.map((entry) => `${entry.rank}. ${entry.name}: ${measured(entry.value, unit)}`),
    ...failures.map((failure) => `${failure.query}: ${failure.error.message}`),
  ].join('\n');
  const origin = results.find((result) => result.ok)?.origin;
  return {
    content: withProvenance(provider, text, { origin }),
    structuredContent: {
      metric,
      unit,
      days,
      results: results.map(withoutOrigin),
      ranking,
      ...provenance(provider, origin),
    },
    isError: failures.length === results.length,
  };
}

async function compareYearsAt(
  { provider, context, metric, units, now }: Setting,
  {
    location,
    years,
    month,
  }: {
    readonly location: string;
    readonly years: readonly number[];
    readonly month: number | undefined;
  },
): Promise<StructuredOutput> {
  const periodsIn = (timeZone: string | undefined): readonly DateRange[] => {
    const today = todayIn(timeZone, now());
    return years.map((year) => periodOfYear(year, month, today));
  };
  // Before the place is known, only years that have begun nowhere are refused.
  periodsIn(undefined);
  const { place } = await resolveOrAsk(location, provider, context);
  const periods = periodsIn(place.timezone);
  const unit = metricUnit(metric, unitSystems[units].labels);
  let done = 0;
  const onDone = (compared: ComparedYear): PromiseLike<void> =>
    context.progress({
      progress: (done += 1),
      total: years.length,
      message: `${compared.year}: ${compared.ok ? measured(compared.value, unit) : 'failed'}`,
    });
  const comparison = { provider, place, years, month, metric, units };
  const results = await withTask(context, () => compareYears(comparison, periods, context, onDone));
  const ranking = rankEntries(
    results.flatMap((result) =>
      result.ok && result.value !== null
        ? [{ query: result.query, name: result.query, value: result.value }]
        : [],
    ),
  );
  const failures = results.filter((result) => !result.ok);
  const period = month === undefined ? '' : `, month ${month}`;
  const text = [
    `${placeLabel(place)}: ${metric === 'precipitation' ? 'total' : 'mean'} ${metric}${period}, highest first:`,
    ...ranking.map((entry) => `${entry.rank}. ${entry.name}: ${measured(entry.value, unit)}`),
    ...failures.map((failure) => `${failure.query}: ${failure.error.message}`),
  ].join('\n');
  return {
    content: withProvenance(provider, text),
    structuredContent: {
      metric,
      unit,
      location: locationOutput(place, place.timezone ?? 'GMT'),
      results,
      ranking,
      ...provenance(provider),
    },
    isError: failures.length === results.length,
  };
}

const outputSchema = {
  type: 'object',
  properties: {
    metric: { enum: COMPARE_METRICS },
    unit: { type: 'string' },
    days: { type: 'integer' },
    location: { type: 'object', description: 'Of years' },
    results: {
      type: 'array',
      description:
        'In the order of the input: value and cache when ok, else error; for places location, for years mean, min, max, total and samples (days).',
      items: {
        type: 'object',
        properties: {
          query: { type: 'string' },
          ok: { type: 'boolean' },
          value: nullableNumber,
        },
        required: ['query', 'ok'],
      },
    },
    ranking: {
      type: 'array',
      description: 'Highest first, without entries that have no value.',
      items: {
        type: 'object',
        properties: {
          rank: { type: 'integer' },
          query: { type: 'string' },
          name: { type: 'string' },
          value: { type: 'number' },
        },
        required: ['rank', 'query', 'name', 'value'],
      },
    },
    ...provenanceSchema,
  },
  required: ['metric', 'unit', 'results', 'ranking', 'source', 'attribution', 'demo'],
};

/**
 * Maximum number of places in progress at once: enough for the largest number of parallel requests,
 * but few enough that the first place ends early.
 */
const placesAtOnce = 5;

/** Processes items, at most `atOnce` at a time, and returns the outcomes in order. */
async function mapAtOnce<Item, Outcome>(
  items: readonly Item[],
  work: (item: Item) => Promise<Outcome>,
  atOnce: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) outcomes[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return outcomes;
}

type Compared =
  | {
      readonly query: string;
      readonly ok: true;
      readonly location: ReturnType<typeof locationOutput>;
      readonly value: number | null;
      readonly cache: CacheState;
      readonly origin: Origin;
    }
  | {
      readonly query: string;
      readonly ok: false;
      readonly error: { readonly code: string; readonly message: string } & WeatherErrorDetails;
    };

interface Comparison {
  readonly provider: WeatherProvider;
  readonly signal: AbortSignal;
  readonly days: number;
  readonly valueOf: (daily: readonly DailyWeather[]) => number | null;
}

async function compareAt(query: string, comparison: Comparison): Promise<Compared> {
  const { provider, signal, days, valueOf } = comparison;
  try {
    const resolution = await resolveLocation(query, provider, signal);
    if (resolution.kind === 'ambiguous') throw ambiguousPlace(query, resolution.candidates);
    const reading = await provider.forecast(resolution.place, { days, signal });
    const { value: forecast, cache, origin } = reading;
    return {
      query,
      ok: true,
      location: locationOutput(resolution.place, forecast.timezone),
      value: valueOf(forecast.daily),
      cache,
      origin,
    };
  } catch (error) {
    if (!(error instanceof WeatherError)) throw error;
    return {
      query,
      ok: false,
      error: { code: error.code, message: error.message, ...error.details },
    };
  }
}

interface Ranked {
  readonly rank: number;
  readonly query: string;
  readonly name: string;
  readonly value: number;
}

/** Returns a result without its origin, which is given once for all. */
function withoutOrigin(result: Compared): object {
  if (!result.ok) return result;
  const { origin: _given, ...own } = result;
  return own;
}

function rank(results: readonly Compared[]): readonly Ranked[] {
  return rankEntries(
    results.flatMap((result) =>
      result.ok && result.value !== null
        ? [{ query: result.query, name: result.location.name, value: result.value }]
        : [],
    ),
  );
}

function rankEntries(entries: readonly Omit<Ranked, 'rank'>[]): readonly Ranked[] {
  return entries
    .toSorted((a, b) => b.value - a.value)
    .map((entry, index) => ({ rank: index + 1, ...entry }));
}
