import { defineTool, type StructuredOutput } from '@signalbox/mcp-core/server';
import { ambiguousPlace, resolveLocation } from '../location/resolve-location.ts';
import {
  MAX_FORECAST_DAYS,
  type CacheState,
  type DailyWeather,
  type WeatherProvider,
} from '../provider.ts';
import { unitSystems } from '../units.ts';
import { WeatherError, type WeatherErrorDetails } from '../weather-error.ts';
import { COMPARE_METRICS, metricOf, metricUnit } from './compare-metric.ts';
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
  const { provider, defaultUnits } = setup;
  return defineTool({
    name: 'weather_compare',
    title: 'Compare the weather of places',
    description:
      'Ranks 2 to 50 places by the forecast: highest temperature, total precipitation or strongest wind over the days from today on. A place that fails has its own error; ambiguous names are an error.',
    inputSchema: {
      type: 'object',
      properties: {
        locations: { type: 'array', items: locationInput, minItems: 2, maxItems: 50 },
        metric: { type: 'string', enum: COMPARE_METRICS },
        days: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_FORECAST_DAYS,
          description: 'Default 1: today only.',
        },
        units: unitsInput(setup),
      },
      required: ['locations', 'metric'],
      additionalProperties: false,
    },
    outputSchema,
    annotations: readsTheWorld,
    handler: async (
      { locations, metric, days = 1, units = defaultUnits },
      context,
    ): Promise<StructuredOutput> => {
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
      const results = await mapAtOnce(locations, compareOne, placesAtOnce);
      const ranking = rank(results);
      const failures = results.filter((result) => !result.ok);
      const text = [
        `${metric} over ${days === 1 ? 'today' : `${days} days`}, highest first:`,
        ...ranking.map((entry) => `${entry.rank}. ${entry.name}: ${measured(entry.value, unit)}`),
        ...failures.map((failure) => `${failure.query}: ${failure.error.message}`),
      ].join('\n');
      return {
        content: withProvenance(provider, text),
        structuredContent: { metric, unit, days, results, ranking, ...provenance(provider) },
        isError: failures.length === results.length,
      };
    },
  });
}

const outputSchema = {
  type: 'object',
  properties: {
    metric: { enum: COMPARE_METRICS },
    unit: { type: 'string' },
    days: { type: 'integer' },
    results: {
      type: 'array',
      description:
        'In the order of locations: location as in weather_forecast, value and cache when ok, else error.',
      items: {
        type: 'object',
        properties: {
          query: { type: 'string' },
          ok: { type: 'boolean' },
          location: { type: 'object' },
          value: nullableNumber,
          cache: { type: 'object' },
          error: { type: 'object' },
        },
        required: ['query', 'ok'],
      },
    },
    ranking: {
      type: 'array',
      description: 'Highest first, without places that have no value.',
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
  required: ['metric', 'unit', 'days', 'results', 'ranking', 'source', 'attribution', 'demo'],
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
    const { value: forecast, cache } = await provider.forecast(resolution.place, days, signal);
    return {
      query,
      ok: true,
      location: locationOutput(resolution.place, forecast.timezone),
      value: valueOf(forecast.daily),
      cache,
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

function rank(results: readonly Compared[]): readonly Ranked[] {
  return results
    .flatMap((result) =>
      result.ok && result.value !== null
        ? [{ query: result.query, name: result.location.name, value: result.value }]
        : [],
    )
    .toSorted((a, b) => b.value - a.value)
    .map((entry, index) => ({ rank: index + 1, ...entry }));
}
