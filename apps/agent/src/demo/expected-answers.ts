import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { JsonObject } from '@signalbox/mcp-core';
import { demoFolder } from './demo-folder.ts';

/** Texts that the answer to a demo's prompt must contain, computed independently of the demo. */
export interface Expectation {
  readonly prompt: string;
  readonly mustContain: readonly string[];
}

export interface DemoData {
  /** Folder that the filesystem server reads. */
  readonly files: string;
  /** The shop database. */
  readonly database: string;
  /** Calls a tool and returns its structured content. */
  readonly call: (wireName: string, args: JsonObject) => Promise<JsonObject>;
}

export interface DemoExpectations {
  readonly expectations: readonly (() => Promise<Expectation> | Expectation)[];
  /** Demos whose data is missing, with the reason. */
  readonly skipped: readonly string[];
}

/** Returns the checks of the demos. Each check computes its expectation from the data when it is called. */
export function demoExpectations(data: DemoData): DemoExpectations {
  const { files } = data;
  const isRepository = demoFolder({ repository: files, cwd: '' }) === files;
  return {
    expectations: [
      ...(isRepository ? [() => workspaceExpectation(data)] : []),
      () => customersExpectation(data),
      () => weatherExpectation(data),
    ],
    skipped: isRepository
      ? []
      : [`the demo of the workspace is left out: ${files} is not the repository of Signalbox`],
  };
}

function workspaceExpectation({ files }: DemoData): Expectation {
  const { workspaces } = JSON.parse(readFileSync(join(files, 'package.json'), 'utf8')) as {
    readonly workspaces: readonly string[];
  };
  const manifests = globSync(
    workspaces.map((pattern) => `${pattern}/package.json`),
    { cwd: files },
  );
  const sources = globSync(
    workspaces.map((pattern) => `${pattern}/src/**/*.ts`),
    { cwd: files },
  );
  // The demo counts by the first two folders of a path.
  const counts = Map.groupBy(sources, (file) => dirname(file).split(/[/\\]/).slice(0, 2).join('/'));
  const ranking = [...counts]
    .map(([folder, { length }]) => ({ folder, count: length }))
    .toSorted((a, b) => b.count - a.count || (a.folder < b.folder ? -1 : 1));
  const [largest] = ranking;
  if (largest === undefined) throw new Error(`no workspace packages in ${files}`);
  return {
    prompt: 'Which packages are in this workspace and which has the most source files?',
    mustContain: [
      `This workspace has ${manifests.length} packages: `,
      ...manifests.map((file) => file.replaceAll('\\', '/')),
      `The most source files are in ${largest.folder}: ${largest.count} of ${sources.length} TypeScript files. From most to fewest: ${ranking.map(({ folder }) => folder).join(', ')}.`,
    ],
  };
}

const SPENT = `SELECT customers.id, name, country, count(DISTINCT orders.id), sum(quantity * unit_price_cents) AS cents
  FROM order_items JOIN orders ON orders.id = order_id JOIN customers ON customers.id = customer_id
  GROUP BY customer_id ORDER BY cents DESC, name LIMIT 3`;
const FAVORITE = `SELECT products.name, sum(quantity) AS pieces FROM order_items JOIN orders ON orders.id = order_id JOIN products ON products.id = product_id
  WHERE customer_id = ? GROUP BY product_id ORDER BY pieces DESC, products.name LIMIT 1`;

function customersExpectation({ database }: DemoData): Expectation {
  const connection = new Database(database, { readonly: true });
  try {
    const top = connection.prepare(SPENT).raw().all() as [number, string, string, number, number][];
    const [best] = top;
    if (best === undefined) throw new Error(`no customers in ${database}`);
    const [id, name, country, orders, cents] = best;
    const [product, pieces] = connection.prepare(FAVORITE).raw().get(id) as [string, number];
    return {
      prompt: 'Which customers bought most?',
      mustContain: [
        `${name} (${country}) bought most: ${dollars(cents)} in ${orders} orders.`,
        `Most often they bought ${product}: ${pieces} pieces.`,
        `The top ${top.length}: ${top.map((row) => row[1]).join(', ')}, with totals of ${top.map((row) => dollars(row[4])).join(', ')}.`,
      ],
    };
  } finally {
    connection.close();
  }
}

function dollars(cents: number): string {
  return (cents / 100).toFixed(2);
}

const PLACES = ['Oslo', 'Lisbon', 'Cairo'];

async function weatherExpectation({ call }: DemoData): Promise<Expectation> {
  const ranking = await warmestFirst(call, PLACES);
  return {
    prompt: `Compare the weather in ${PLACES.slice(0, -1).join(', ')} and ${PLACES.at(-1)}`,
    mustContain: [
      `It gets warmest in ${ranking[0]?.place}: ${ranking[0]?.value} °C.`,
      ranking.map(({ place, value }, index) => `${index + 1}. ${place}: ${value} °C`).join('\n'),
      'made-up',
    ],
  };
}

export interface Warmth {
  readonly place: string;
  /** Highest temperature of today in °C. */
  readonly value: number;
}

/** Ranks places by their forecasts, where the demos call the tool that ranks. */
export async function warmestFirst(
  call: DemoData['call'],
  places: readonly string[],
): Promise<readonly Warmth[]> {
  const temperatures = await Promise.all(
    places.map(async (place): Promise<Warmth> => {
      const { daily } = (await call('weather__weather_forecast', { location: place, days: 1 })) as {
        readonly daily: readonly { readonly temperatureMax: number }[];
      };
      return { place, value: daily[0]?.temperatureMax ?? Number.NaN };
    }),
  );
  return temperatures.toSorted((a, b) => b.value - a.value);
}
