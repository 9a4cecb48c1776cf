import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { warmestFirst, type DemoData } from './expected-answers.ts';

/** Cities of the list, in order. */
const FIRST_LIST = ['Oslo', 'Lisbon', 'Cairo'];
const CHANGED_LIST = ['Lisbon', 'Cairo', 'Nairobi', 'Reykjavik'];

export interface TourData extends Pick<DemoData, 'database' | 'call'> {
  /** Folder of the list and of the plan, without symbolic links. */
  readonly folder: string;
}

/** The files and the expected answer of the demo that plans a tour. */
export class Tour {
  readonly #data: TourData;

  constructor(data: TourData) {
    this.#data = data;
  }

  get prompt(): string {
    return `Plan the sales tour through the cities in ${pathToFileURL(this.#file('cities.txt')).href}, and follow the file`;
  }

  async writeFirstList(): Promise<void> {
    await this.#writeList(FIRST_LIST);
  }

  /** Changes the list that the run follows. Returns what changes. */
  async changeList(): Promise<string> {
    await this.#writeList(CHANGED_LIST);
    const added = CHANGED_LIST.filter((city) => !FIRST_LIST.includes(city));
    const removed = FIRST_LIST.filter((city) => !CHANGED_LIST.includes(city));
    return `without ${removed.join(', ')}, with ${added.join(' and ')}`;
  }

  /**
   * Compares the answer and the stored plan with the data. Returns the differences. `isStored`:
   * whether the person allowed the unchanged plan to be stored.
   */
  async problems(answer: string, isStored: boolean): Promise<readonly string[]> {
    const { call, database } = this.#data;
    const plan = `${bestSellers(database)}\n${await stops(this.#data)}`;
    const [warmest] = await warmestFirst(call, FIRST_LIST);
    const mustContain = [
      plan,
      `${warmest?.place} was the warmest stop of the first list: ${FIRST_LIST.join(', ')}.`,
      ...(isStored
        ? [`The plan is stored in plan.md (${Buffer.byteLength(`${plan}\n`)} bytes).`]
        : []),
    ];
    const missing = mustContain.filter((part) => !answer.includes(part));
    const stored = isStored ? await readFile(this.#file('plan.md'), 'utf8').catch(String) : '';
    return [
      ...missing.map((part) => `its answer lacks: ${part}`),
      ...(isStored && stored !== `${plan}\n` ? [`plan.md has: ${stored}`] : []),
    ];
  }

  async #writeList(cities: readonly string[]): Promise<void> {
    await writeFile(this.#file('cities.txt'), ['# Sales tour', ...cities, ''].join('\n'));
  }

  #file(name: string): string {
    return join(this.#data.folder, name);
  }
}

/** Adds up the pieces of each product, where the demo lets the database add them up. */
function bestSellers(file: string): string {
  const connection = new Database(file, { readonly: true });
  try {
    const items = connection
      .prepare('SELECT name, quantity FROM order_items JOIN products ON products.id = product_id')
      .raw()
      .all() as [string, number][];
    const sums = new Map<string, number>();
    for (const [name, quantity] of items) sums.set(name, (sums.get(name) ?? 0) + quantity);
    const top = [...sums].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
    const [best] = top;
    if (best === undefined) throw new Error(`nothing was sold in ${file}`);
    return `Show ${best[0]}: ${best[1]} pieces were sold. The best sellers: ${top.map(([name]) => name).join(', ')}, with ${top.map(([, pieces]) => pieces).join(', ')} pieces.`;
  } finally {
    connection.close();
  }
}

async function stops({ call }: TourData): Promise<string> {
  const ranking = await warmestFirst(call, CHANGED_LIST);
  return `The stops, from the warmest: ${ranking.map(({ place }) => place).join(', ')}, with up to ${ranking.map(({ value }) => value).join(', ')} °C today (made-up demonstration data).`;
}
