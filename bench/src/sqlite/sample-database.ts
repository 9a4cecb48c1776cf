import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** A database and a CSV file for the SQLite servers. */
export interface SampleDatabase extends AsyncDisposable {
  readonly folder: string;
  /** A table `orders` of 10,000 rows with five columns. */
  readonly database: string;
  /** Rows of six fields, one of them quoted. */
  readonly csv: string;
  readonly csvRows: number;
}

export const ORDERS = 10_000;

export async function createSampleDatabase(csvRows: number): Promise<SampleDatabase> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'bench-sqlite-')));
  const path = join(folder, 'sample.db');
  const database = new Database(path);
  database.exec(
    `CREATE TABLE orders(id INTEGER PRIMARY KEY, name TEXT, city TEXT, amount REAL, note TEXT);
    INSERT INTO orders WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ${ORDERS})
      SELECT x, 'Customer ' || x, 'City ' || (x % 100), x * 1.25, 'a note of ordinary length' FROM c`,
  );
  database.close();
  const csv = join(folder, 'sample.csv');
  const rows = Array.from(
    { length: csvRows },
    (_, index) =>
      `${index},Customer ${index},"City, ${index % 100}",${(index * 1.25).toFixed(2)},a note of ordinary length,2026-01-${String(1 + (index % 28)).padStart(2, '0')}\n`,
  );
  await writeFile(csv, `id,name,city,amount,note,day\n${rows.join('')}`);
  return {
    folder,
    database: path,
    csv,
    csvRows,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
