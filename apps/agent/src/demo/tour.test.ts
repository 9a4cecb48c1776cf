import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Tour } from './tour.ts';

let folder: string;
let database: string;
let weather: { [place: string]: number };
let tour: Tour;

const PLAN = [
  'Show Lamp: 7 pieces were sold. The best sellers: Lamp, Bowl, with 7, 4 pieces.',
  'The stops, from the warmest: Nairobi, Cairo, Lisbon, Reykjavik, with up to 30, 25.5, 20, -1 °C today (made-up demonstration data).',
].join('\n');
const FIRST = 'Cairo was the warmest stop of the first list: Oslo, Lisbon, Cairo.';
const ANSWER = `${PLAN}\n${FIRST}\nThe plan is stored in plan.md (${Buffer.byteLength(`${PLAN}\n`)} bytes).`;

function change(sql: string): void {
  const shop = new Database(database);
  shop.exec(sql);
  shop.close();
}

/** A shop, its weather, and the plan that is right for both. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tour-'));
  database = join(folder, 'shop.db');
  change(`CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE order_items (product_id INTEGER, quantity INTEGER);
    INSERT INTO products VALUES (1, 'Lamp'), (2, 'Bowl');
    INSERT INTO order_items VALUES (1, 5), (2, 4), (1, 2)`);
  weather = { Oslo: 1, Lisbon: 20, Cairo: 25.5, Nairobi: 30, Reykjavik: -1 };
  tour = new Tour({
    folder,
    database,
    call: (_name, { location }) =>
      Promise.resolve({ daily: [{ temperatureMax: weather[String(location)] }] }),
  });
  await writeFile(join(folder, 'plan.md'), `${PLAN}\n`);
});
afterEach(() => rm(folder, { recursive: true }));

test('the right answer with the right plan has no problem; a plan that was denied need not be stored', async () => {
  expect(await tour.problems(ANSWER, true)).toEqual([]);
  await rm(join(folder, 'plan.md'));
  expect(await tour.problems(`${PLAN}\n${FIRST}\nThe plan is not stored: no`, false)).toEqual([]);
});

test('control: an answer that does not follow changed data is wrong', async () => {
  change('INSERT INTO order_items VALUES (2, 1)');
  expect(await tour.problems(ANSWER, true)).toContainEqual(expect.stringContaining('with 7, 5'));
  change('DELETE FROM order_items WHERE quantity = 1');
  expect(await tour.problems(ANSWER, true)).toEqual([]);
  weather['Lisbon'] = 28;
  expect(await tour.problems(ANSWER, true)).toContainEqual(
    expect.stringContaining('from the warmest: Nairobi, Lisbon, Cairo'),
  );
});

test('control: a wrong order of the right names, and another stored plan, are wrong', async () => {
  const swapped = ANSWER.replace('Nairobi, Cairo', 'Cairo, Nairobi');
  expect(await tour.problems(swapped, true)).toEqual([`its answer lacks: ${PLAN}`]);
  await writeFile(join(folder, 'plan.md'), 'something else');
  expect(await tour.problems(ANSWER, true)).toEqual(['plan.md has: something else']);
  await rm(join(folder, 'plan.md'));
  expect(await tour.problems(ANSWER, true)).toEqual([
    expect.stringContaining('plan.md has: Error'),
  ]);
});
