import { parseArgs } from 'node:util';
import { writeReport } from '../agent/report.ts';
import { describeLoad, describeMachine } from '../machine.ts';
import { Results } from '../results.ts';
import { formatTargets } from '../targets.ts';
import {
  formatBackends,
  judgeBackends,
  KILL_TABLE,
  measuredOf,
  TURN_TABLE,
} from './backend-tables.ts';
import { backends, signalbox } from './backends.ts';
import { measureKill, measureTurns, type Load } from './measure-backend.ts';

const TITLE = 'Agent backends side by side';

const KILL = { runs: 20, quietMs: 4000 };

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const wanted = values.only?.split(',') ?? backends.map(({ name }) => name);
const unknown = wanted.filter((name) => !backends.some((backend) => backend.name === name));
if (unknown.length > 0)
  throw new Error(
    `Nothing is called ${unknown.join(', ')}; there are ${backends.map(({ name }) => name).join('; ')}`,
  );
const measured = backends
  .filter(({ name }) => wanted.includes(name))
  .map((backend) => ({ backend, key: measuredOf(backend) }));
const rounds = values.quick ? 1 : 5;
const load: Load = values.quick
  ? { warmUp: 10, inSequence: 10, atOnce: 20 }
  : { warmUp: 30, inSequence: 20, atOnce: 100 };
const begun = performance.now();
const machine = describeMachine();
const results = new Results();
for (let round = 1; round <= rounds; round += 1) {
  for (const { backend, key } of measured) {
    if (round > 1 && backend.isSlow === true) continue;
    process.stderr.write(`round ${String(round)} of ${String(rounds)}: ${backend.name}\n`);
    results.add(key, TURN_TABLE, await measureTurns(backend, load));
    if (round === 1) results.add(key, KILL_TABLE, await measureKill(backend, KILL));
  }
}
await writeReport({
  title: TITLE,
  toFile: values.write,
  text: `# ${TITLE}, ${new Date().toISOString().slice(0, 10)}

${machine}.

CPU milliseconds of a turn with one tool call, of the backend and its children without the model: ${String(load.inSequence)} runs one after the other, and ${String(load.atOnce)} at once. The targets compare Signalbox with the cheapest other backend that stores its runs.

${formatBackends(results)}

${formatTargets(judgeBackends(results, signalbox.name))}
${String(rounds)} rounds in ${((performance.now() - begun) / 1000).toFixed(0)} s; load average at the end ${describeLoad()}
`,
});
