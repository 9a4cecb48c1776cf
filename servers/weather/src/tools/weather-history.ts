import { defineTool, type InteractiveContext, type ToolContent } from '@signalbox/mcp-core/server';
import { withTask } from '@signalbox/server-kit';
import { placeLabel, resolveOrAsk } from '../location/resolve-location.ts';
import { isDate, todayIn } from '../local-time.ts';
import type { PastDay, Place, Reading, History, WeatherProvider } from '../provider.ts';
import { unitSystems, type UnitSystem } from '../units.ts';
import { WeatherError } from '../weather-error.ts';
import { checkRange, daysIn, summaryOf, yearsOf, type DateRange } from './history-summary.ts';
import { locationInput } from './location-output.ts';
import { placeResult, placeResultSchema } from './place-result.ts';
import { measured, readsTheWorld, unitsInput, type ToolSetup } from './tool-setup.ts';

const GRANULARITIES = ['day', 'month', 'year'] as const;
type Granularity = (typeof GRANULARITIES)[number];
/** Longest range that is given day by day. */
const MAX_DAILY_DAYS = 1100;

export function weatherHistoryTool(setup: ToolSetup) {
  const { provider, defaultUnits, now } = setup;
  return defineTool({
    name: 'weather_history',
    title: 'Past weather',
    description:
      'The weather at a place from a date in 1940 or later to a date until today. Requests one year at a time, with progress.',
    inputSchema: {
      type: 'object',
      properties: {
        location: locationInput,
        start: { type: 'string', description: 'YYYY-MM-DD' },
        end: { type: 'string', description: 'YYYY-MM-DD, included' },
        units: unitsInput(setup),
        granularity: {
          type: 'string',
          enum: GRANULARITIES,
          description: `Default day up to 366 days, else month up to 20 years. day: ${MAX_DAILY_DAYS} days at most.`,
        },
        chart: { type: 'boolean', description: 'Adds a chart of the temperature (SVG).' },
      },
      required: ['location', 'start', 'end'],
      additionalProperties: false,
    },
    outputSchema: placeResultSchema(
      {
        granularity: { enum: GRANULARITIES },
        daily: {
          type: 'array',
          description:
            'For day: date, temperatureMax, temperatureMin, temperatureMean, precipitation, windSpeedMax, weatherCode',
          items: { type: 'object' },
        },
        periods: {
          type: 'array',
          description: 'For month and year: period and the fields of summary',
          items: { type: 'object' },
        },
        summary: {
          type: 'object',
          description:
            'days, temperatureMean, temperatureMax, temperatureMin, precipitation (total), windSpeedMax, missing (days without data)',
        },
      },
      ['granularity', 'daily', 'summary', 'units'],
    ),
    task: 'optional',
    annotations: readsTheWorld,
    handler: async (args, context) => {
      const { location, units = defaultUnits, chart = false } = args;
      const range = { start: args.start, end: args.end };
      const granularity = requireGranularity(range, args.granularity);
      // Before the place is known, only dates that are in the future everywhere are refused.
      checkRange(range, todayIn(undefined, now()));
      const { place, alternatives } = await resolveOrAsk(location, provider, context);
      checkRange(range, todayIn(place.timezone, now()));
      const reading = await withTask(context, () => readYears(provider, place, range, context));
      const { days } = reading.value;
      const system = unitSystems[units];
      const periods = granularity === 'day' ? [] : periodsOf(days, granularity, system);
      const daily = granularity === 'day' ? days.map((day) => dayOutput(day, system)) : [];
      const summary = summaryOf(days, system);
      const result = placeResult({
        provider,
        place,
        alternatives,
        timezone: reading.value.timezone,
        weather: {
          granularity,
          daily,
          ...(granularity === 'day' ? {} : { periods }),
          summary,
        },
        units: system.labels,
        text: textOf(place, range, { summary, periods, system }),
        reading,
      });
      if (!chart) return result;
      const svg = await drawTemperature(`${placeLabel(place)}, ${range.start} to ${range.end}`, {
        system,
        rows:
          granularity === 'day'
            ? daily.map((day) => ({ label: day.date, ...day }))
            : periods.map((period) => ({ label: period.period, ...period })),
      });
      return { ...result, content: withImage(result.content, svg) };
    },
  });
}

/** @throws WeatherError `invalid-arguments` for dates that cannot be, or too many days */
function requireGranularity(range: DateRange, wanted: Granularity | undefined): Granularity {
  for (const [name, date] of Object.entries(range))
    if (!isDate(date))
      throw new WeatherError(
        'invalid-arguments',
        `${name} ${JSON.stringify(String(date).slice(0, 20))} is not a date that exists, as YYYY-MM-DD.`,
      );
  const days = daysIn(range);
  const granularity = wanted ?? (days <= 366 ? 'day' : days <= 20 * 366 ? 'month' : 'year');
  if (granularity === 'day' && days > MAX_DAILY_DAYS)
    throw new WeatherError(
      'invalid-arguments',
      `${days} days are more than ${MAX_DAILY_DAYS}; choose the granularity month or year, or a shorter range.`,
    );
  return granularity;
}

/** Reads the years of a range one after the other, and reports each. */
async function readYears(
  provider: WeatherProvider,
  place: Place,
  range: DateRange,
  { signal, progress }: Pick<InteractiveContext, 'signal' | 'progress'>,
): Promise<Reading<History>> {
  const years = yearsOf(range);
  const readings: Reading<History>[] = [];
  for (const year of years) {
    readings.push(await provider.history(place, { ...year, signal }));
    await progress({
      progress: readings.length,
      total: years.length,
      message: `${year.start.slice(0, 4)}: ${readings.length} of ${years.length} years`,
    });
  }
  const [first] = readings;
  if (first === undefined) throw new WeatherError('invalid-arguments', 'The range has no days.');
  return {
    value: { timezone: first.value.timezone, days: readings.flatMap(({ value }) => value.days) },
    origin: first.origin,
    freshForMs: Math.min(...readings.map(({ freshForMs }) => freshForMs)),
    cache: {
      hit: readings.every(({ cache }) => cache.hit),
      ageSeconds: Math.max(...readings.map(({ cache }) => cache.ageSeconds)),
      stale: readings.some(({ cache }) => cache.stale),
    },
  };
}

function dayOutput(day: PastDay, system: UnitSystem) {
  return {
    date: day.date,
    temperatureMax: system.temperature(day.temperatureMax),
    temperatureMin: system.temperature(day.temperatureMin),
    temperatureMean: system.temperature(day.temperatureMean),
    precipitation: system.precipitation(day.precipitation),
    windSpeedMax: system.windSpeed(day.windSpeedMax),
    weatherCode: day.weatherCode,
  };
}

function periodsOf(days: readonly PastDay[], granularity: Granularity, system: UnitSystem) {
  const length = granularity === 'month' ? 7 : 4;
  const groups = Map.groupBy(days, (day) => day.date.slice(0, length));
  return [...groups].map(([period, own]) => ({ period, ...summaryOf(own, system) }));
}

const MAX_TEXT_LINES = 40;

function textOf(
  place: Place,
  range: DateRange,
  {
    summary,
    periods,
    system: { labels },
  }: {
    readonly summary: ReturnType<typeof summaryOf>;
    readonly periods: ReturnType<typeof periodsOf>;
    readonly system: UnitSystem;
  },
): string {
  const line = (values: typeof summary) =>
    `mean ${measured(values.temperatureMean, labels.temperature)}, lowest ${measured(values.temperatureMin, labels.temperature)}, highest ${measured(values.temperatureMax, labels.temperature)}, precipitation ${measured(values.precipitation, labels.precipitation)}, wind up to ${measured(values.windSpeedMax, labels.windSpeed)}`;
  const rest = periods.length - MAX_TEXT_LINES;
  return [
    `${placeLabel(place)}, ${range.start} to ${range.end}, ${summary.days} days: ${line(summary)}.`,
    ...periods.slice(0, MAX_TEXT_LINES).map((period) => `${period.period}: ${line(period)}`),
    ...(rest > 0 ? [`… and ${rest} more in the structured content.`] : []),
  ].join('\n');
}

interface ChartRow {
  readonly label: string;
  readonly temperatureMax: number | null;
  readonly temperatureMin: number | null;
  readonly temperatureMean: number | null;
}

async function drawTemperature(
  title: string,
  { system, rows }: { readonly system: UnitSystem; readonly rows: readonly ChartRow[] },
): Promise<string> {
  // Loaded with the first chart: most processes draw none.
  const { drawChart } = await import('@signalbox/server-kit/chart');
  const series = (['temperatureMax', 'temperatureMean', 'temperatureMin'] as const).map((name) => ({
    name: `${name} (${system.labels.temperature})`,
    values: rows.map((row) => row[name]),
  }));
  return drawChart(
    { x: 'date', labels: rows.map(({ label }) => label), series },
    { type: 'line', title },
  );
}

function withImage(content: ToolContent | undefined, svg: string): ToolContent {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return [
    ...(blocks ?? []),
    {
      type: 'image',
      data: Buffer.from(svg).toString('base64'),
      mimeType: 'image/svg+xml',
      annotations: { audience: ['user'] },
    },
  ];
}
