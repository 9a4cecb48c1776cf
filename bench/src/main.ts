import { parseArgs } from 'node:util';
import { bundleServers } from './bundle-servers.ts';
import { describeWarmUp, fullLoad, quickLoad } from './load.ts';
import { describeLoad, describeMachine } from './machine.ts';
import { runRounds } from './run-rounds.ts';
import { createRuns, suites } from './runs.ts';
import { shareOneCore } from './share-core.ts';
import { formatTable, tables } from './tables.ts';
import { formatTargets, judge } from './targets.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: suites.join(',') },
  },
});
const wanted = values.only.split(',');
const unknown = wanted.filter((suite) => !suites.some((each) => each === suite));
if (unknown.length > 0)
  throw new Error(`No suite is called ${unknown.join(', ')}; there are ${suites.join(', ')}`);
const load = values.quick ? quickLoad : fullLoad;
const begun = performance.now();

process.stdout.write(
  `# What a message costs, ${new Date().toISOString().slice(0, 10)}\n\n${describeMachine()}. ${sharing()} ${describeWarmUp(load)}\n`,
);
await using bundled = await bundleServers();
const runs = createRuns({ load, nodeArguments: [], bundled }).filter(({ suite }) =>
  wanted.includes(suite),
);
const results = await runRounds(runs, load.rounds, ({ suite, implementation, variant }, round) => {
  process.stderr.write(
    `round ${String(round)} of ${String(load.rounds)}: ${suite}, ${implementation}, ${variant}\n`,
  );
});
for (const table of tables) {
  const rows = results.rowsOf(table.key);
  if (rows.length > 0) process.stdout.write(`\n${formatTable(table, rows)}`);
}
process.stdout.write(`\n${formatTargets(judge(results))}`);
process.stdout.write(
  `\n${String(load.rounds)} rounds in ${((performance.now() - begun) / 1000).toFixed(0)} s; load average at the end ${describeLoad()}\n`,
);

function sharing(): string {
  const core = shareOneCore();
  return core === undefined
    ? 'All processes run on whatever core is free.'
    : `All processes share core ${String(core)}.`;
}
