// node bare.mjs read DATABASE QUERY COUNT | import DATABASE CSV: the same work with better-sqlite3 and csv-parse alone, in a process of its own. Prints CPU and elapsed milliseconds as JSON.
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse/sync';

const [, , task, path, argument = '', count = '1'] = process.argv;
const database = new Database(path);
const work = task === 'read' ? readRows : importRows;
if (task === 'read') work();
const cpu = process.cpuUsage();
const begun = performance.now();
for (let done = 0; done < Number(count); done += 1) work();
const elapsedMs = performance.now() - begun;
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1000, elapsedMs }));

function readRows() {
  const statement = database.prepare(argument).raw();
  return JSON.stringify({ columns: statement.columns(), rows: statement.all() });
}

function importRows() {
  const [names = [], ...rows] = parse(readFileSync(argument));
  database.exec(`CREATE TABLE bare_import(${names.join(', ')})`);
  const insert = database.prepare(
    `INSERT INTO bare_import VALUES (${names.map(() => '?').join(', ')})`,
  );
  database.transaction(() => {
    for (const row of rows) insert.run(...row);
  })();
  database.exec('DROP TABLE bare_import');
}
