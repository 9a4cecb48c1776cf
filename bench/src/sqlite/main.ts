import { parseArgs } from 'node:util';
import { describeLoad, describeMachine } from '../machine.ts';
import { Results } from '../results.ts';
import { formatTable } from '../tables.ts';
import { formatTargets } from '../targets.ts';
import { createSampleDatabase } from './sample-database.ts';
import { sqliteServers } from './sqlite-servers.ts';
import { BARE, STDIO, judgeSqliteServers, sqliteTables } from './sqlite-tables.ts';
import { sqliteTasks, type SqliteLoad, type SqliteTask } from './sqlite-tasks.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = values.quick ? 1 : 5;
const load: SqliteLoad = values.quick
  ? { reads: 100, readsBetween: 400, smallReads: 1000, runawayMs: 2000 }
  : { reads: 400, readsBetween: 600, smallReads: 10_000, runawayMs: 3000 };
const begun = performance.now();

process.stdout.write(
  `# SQLite servers, ${new Date().toISOString().slice(0, 10)}\n\n${describeMachine()}.\n`,
);
const runs = sqliteServers.map((server) => ({
  implementation: server.name,
  variant: STDIO,
  server,
}));
const results = new Results();
await using sample = await createSampleDatabase(100_000);
for (let round = 1; round <= rounds; round += 1)
  for (const task of sqliteTasks)
    await measureInTurn(task, `round ${String(round)} of ${String(rounds)}`);
for (const table of sqliteTables)
  process.stdout.write(`\n${formatTable(table, results.rowsOf(table.key))}`);
process.stdout.write(`\n${formatTargets(judgeSqliteServers(results))}`);
process.stdout.write(
  `\n${String(rounds)} rounds in ${((performance.now() - begun) / 1000).toFixed(0)} s; load average at the end ${describeLoad()}\n`,
);

async function measureInTurn(task: SqliteTask, round: string): Promise<void> {
  for (const run of runs) {
    process.stderr.write(`${round}: ${task.key}, ${run.implementation}\n`);
    const figures = await task.measure(run.server, sample, load);
    if (figures !== undefined) results.add(run, task.key, figures);
  }
  const bare = await task.measureBare?.(sample, load);
  if (bare !== undefined) results.add(BARE, task.key, bare);
}
