// node backup.mjs FILE: writes a consistent copy of the database to a new file while the service runs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

const [file] = process.argv.slice(2);
const source = join(process.env.SIGNALBOX_DATA_DIR ?? '.signalbox', 'signalbox.sqlite');
if (file === undefined) fail('name the file to write: node backup.mjs FILE', 2);
if (existsSync(file)) fail(`${file} exists; name a new file`, 2);
if (!existsSync(source)) fail(`there is no database ${source}; set SIGNALBOX_DATA_DIR`, 2);
process.umask(0o077);
const database = new Sqlite(source, { readonly: true });
try {
  await database.backup(file);
} catch (error) {
  fail(`${source} was not copied to ${file}: ${error.message}`, 1);
} finally {
  database.close();
}
process.stdout.write(`${file}\n`);

function fail(problem, code) {
  process.stderr.write(`backup: ${problem}\n`);
  process.exit(code);
}
