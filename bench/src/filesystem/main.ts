import { parseArgs } from 'node:util';
import { describeLoad, describeMachine } from '../machine.ts';
import { Results } from '../results.ts';
import { formatTable } from '../tables.ts';
import { formatTargets } from '../targets.ts';
import { fileServers } from './file-servers.ts';
import { fileTables, judgeFileServers } from './file-tables.ts';
import { fileTasks } from './file-tasks.ts';
import { createSampleFiles, FILES_PER_DIRECTORY } from './sample-files.ts';

const ENTRIES = 150_000;

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = values.quick ? 1 : 5;
const begun = performance.now();

process.stdout.write(
  `# File servers, ${new Date().toISOString().slice(0, 10)}\n\n${describeMachine()}.\n`,
);
const runs = fileTasks.flatMap((task) =>
  fileServers.map((server) => ({ implementation: server.name, variant: 'stdio', server, task })),
);
const results = new Results();
await using files = await createSampleFiles(ENTRIES / FILES_PER_DIRECTORY);
for (let round = 1; round <= rounds; round += 1) {
  for (const run of runs) {
    process.stderr.write(
      `round ${String(round)} of ${String(rounds)}: ${run.task.key}, ${run.implementation}\n`,
    );
    results.add(run, run.task.key, await run.task.measure(run.server, files));
  }
}
for (const table of fileTables)
  process.stdout.write(`\n${formatTable(table, results.rowsOf(table.key))}`);
process.stdout.write(`\n${formatTargets(judgeFileServers(results))}`);
process.stdout.write(
  `\n${String(rounds)} rounds in ${((performance.now() - begun) / 1000).toFixed(0)} s; load average at the end ${describeLoad()}\n`,
);
