import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureShopDatabase } from './shop-database.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shop-'));
});
afterEach(async () => rm(folder, { recursive: true }));

const read = (file: string, sql: string): unknown[] => {
  const database = new Database(file, { readonly: true });
  const rows = database.prepare(sql).raw().all();
  database.close();
  return rows;
};

test('the database has foreign keys and a customer with the highest total', async () => {
  const file = join(folder, 'deep', 'shop.db');
  await ensureShopDatabase(file);
  expect(
    read(
      file,
      'SELECT (SELECT count(*) FROM customers), (SELECT count(*) FROM products), (SELECT count(*) FROM orders)',
    ),
  ).toEqual([[60, 40, 2000]]);
  expect(read(file, 'PRAGMA foreign_key_check')).toEqual([]);
  const top = read(
    file,
    `SELECT sum(quantity * unit_price_cents) AS spent FROM customers JOIN orders ON customer_id = customers.id JOIN order_items ON order_id = orders.id
     GROUP BY customers.id ORDER BY spent DESC LIMIT 2`,
  ) as [number][];
  expect(top[0]![0]).toBeGreaterThan(top[1]![0]);
});

test('every build creates the same data; existing data is not changed', async () => {
  const [first, second] = [join(folder, 'a.db'), join(folder, 'b.db')];
  await Promise.all([ensureShopDatabase(first), ensureShopDatabase(second)]);
  const sum = 'SELECT sum(quantity * unit_price_cents), group_concat(product_id) FROM order_items';
  expect(read(first, sum)).toEqual(read(second, sum));

  const database = new Database(first);
  database.exec("INSERT INTO customers (name, country) VALUES ('Zoe Zimmer', 'Chile')");
  database.close();
  await ensureShopDatabase(first);
  expect(read(first, 'SELECT count(*) FROM customers')).toEqual([[61]]);
});

test('no unfinished file is left beside the database', async () => {
  await ensureShopDatabase(join(folder, 'shop.db'));
  expect(await readdir(folder)).toEqual(['shop.db']);
});
