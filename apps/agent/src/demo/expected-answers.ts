import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';

/** What the answer to a demo's prompt must contain, found out without the tools. */
export interface Expectation {
  readonly prompt: string;
  readonly mustContain: readonly string[];
}

export interface DemoData {
  readonly repository: string;
  readonly database: string;
}

/** Each expectation is computed from the data when it is asked for. */
export const DEMO_EXPECTATIONS: readonly ((data: DemoData) => Expectation)[] = [workspaceExpectation, customersExpectation, weatherExpectation];

function workspaceExpectation({ repository }: DemoData): Expectation {
  const { workspaces } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { readonly workspaces: readonly string[] };
  const manifests = globSync(workspaces.map((pattern) => `${pattern}/package.json`), { cwd: repository });
  const counts = manifests
    .map((file) => ({ folder: dirname(file), files: globSync('src/**/*.ts', { cwd: join(repository, dirname(file)) }).length }))
    .toSorted((a, b) => b.files - a.files);
  const largest = counts[0];
  if (largest === undefined) throw new Error(`no workspace packages in ${repository}`);
  return {
    prompt: 'Which packages are in this workspace and which has the most source files?',
    mustContain: [`The most source files are in ${largest.folder}: ${largest.files} of`, ...counts.map((each) => `${each.folder}/package.json`)],
  };
}

function customersExpectation({ database }: DemoData): Expectation {
  const connection = new Database(database, { readonly: true });
  const [name, cents] = connection
    .prepare(
      `SELECT customers.name, sum(quantity * unit_price_cents) AS cents FROM order_items
       JOIN orders ON orders.id = order_id JOIN customers ON customers.id = customer_id GROUP BY customer_id ORDER BY cents DESC LIMIT 1`,
    )
    .raw()
    .get() as [string, number];
  connection.close();
  return { prompt: 'Which customers bought most?', mustContain: [name, `bought most: ${(cents / 100).toFixed(2)}`] };
}

function weatherExpectation(): Expectation {
  return { prompt: 'Compare the weather in Oslo, Lisbon and Cairo', mustContain: ['Oslo', 'Lisbon', 'Cairo', 'made-up'] };
}
