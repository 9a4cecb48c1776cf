import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

const SCHEMA = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, country TEXT NOT NULL);
  CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price_cents INTEGER NOT NULL CHECK (price_cents > 0));
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id), ordered_at TEXT NOT NULL);
  CREATE TABLE order_items (
    order_id INTEGER NOT NULL REFERENCES orders (id),
    product_id INTEGER NOT NULL REFERENCES products (id),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    unit_price_cents INTEGER NOT NULL,
    PRIMARY KEY (order_id, product_id)
  );
  CREATE INDEX orders_customer ON orders (customer_id);
`;

const FIRST_NAMES = [
  'Ada',
  'Bruno',
  'Chiara',
  'Dara',
  'Emre',
  'Freya',
  'Goran',
  'Hana',
  'Ines',
  'Jonas',
  'Kwame',
  'Leila',
];
const LAST_NAMES = ['Almeida', 'Berg', 'Costa', 'Duarte', 'Eriksen'];
const COUNTRIES = ['Brazil', 'Norway', 'Portugal', 'Ghana', 'Japan', 'Turkey', 'Ireland'];
const MATERIALS = ['Oak', 'Brass', 'Linen', 'Clay', 'Walnut', 'Steel', 'Wool', 'Glass'];
const THINGS = ['Lamp', 'Chair', 'Bowl', 'Clock', 'Shelf'];

/** Returns a generator of deterministic values in [0, 1) (mulberry32), which make the demo's data the same on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Creates the demo's shop database at `file` unless it exists: 60 customers, 40 products and 2,000 orders of 2025. Renames the complete
 * file into place, so several processes may call this at once.
 */
export async function ensureShopDatabase(file: string): Promise<void> {
  if (existsSync(file)) return;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}.tmp`;
  await rm(unfinished, { force: true });
  const database = new Database(unfinished);
  try {
    database.exec(SCHEMA);
    database.transaction(() => fill(database))();
  } finally {
    database.close();
  }
  await rename(unfinished, file);
}

function fill(database: Database.Database): void {
  const random = seededRandom(20_250_101);
  const pick = (count: number): number => Math.floor(random() * count);
  const addCustomer = database.prepare('INSERT INTO customers (name, country) VALUES (?, ?)');
  const addProduct = database.prepare('INSERT INTO products (name, price_cents) VALUES (?, ?)');
  const addOrder = database.prepare('INSERT INTO orders (customer_id, ordered_at) VALUES (?, ?)');
  const addItem = database.prepare(
    'INSERT OR IGNORE INTO order_items (order_id, product_id, quantity, unit_price_cents) VALUES (?, ?, ?, ?)',
  );

  for (const first of FIRST_NAMES)
    for (const last of LAST_NAMES)
      addCustomer.run(`${first} ${last}`, COUNTRIES[pick(COUNTRIES.length)]);
  const prices: number[] = [];
  for (const material of MATERIALS) {
    for (const thing of THINGS) {
      const price = 900 + pick(300) * 50;
      prices.push(price);
      addProduct.run(`${material} ${thing}`, price);
    }
  }
  const customers = FIRST_NAMES.length * LAST_NAMES.length;
  for (let order = 1; order <= 2000; order += 1) {
    // The square favors the first customers, so that their totals differ.
    const customer = 1 + Math.floor(random() ** 2 * customers);
    const orderedAt = new Date(Date.UTC(2025, 0, 1 + pick(365), pick(24), pick(60))).toISOString();
    addOrder.run(customer, orderedAt);
    for (let item = 0; item <= pick(4); item += 1) {
      const product = pick(prices.length);
      addItem.run(order, product + 1, 1 + pick(5), prices[product]);
    }
  }
}
