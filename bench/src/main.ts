import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { fullLoad, quickLoad } from './load.ts';
import { runRounds } from './run-rounds.ts';
import { shareOneCore } from './share-core.ts';
import { formatTable, tables } from './tables.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const load = values.quick ? quickLoad : fullLoad;
const begun = performance.now();

process.stdout.write(`${machine()}\n${sharing()}\n`);
const rows = await runRounds({
  load,
  nodeArguments: [],
  onSubject: ({ implementation, era }, round) => {
    process.stderr.write(`round ${String(round)} of ${String(load.rounds)}: ${implementation.name}, ${era}\n`);
  },
});
for (const table of tables) process.stdout.write(`\n${formatTable(table, rows.get(table.key) ?? [])}`);
process.stdout.write(`\n${String(load.rounds)} rounds in ${((performance.now() - begun) / 1000).toFixed(0)} s; load average at the end ${loads()}\n`);

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${String(availableParallelism())} cores (${model}), load average ${loads()}`;
}

function sharing(): string {
  const core = shareOneCore();
  return core === undefined ? 'All processes run on whatever core is free.' : `All processes share core ${String(core)}.`;
}

function loads(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
}
