import { parseArgs } from 'node:util';
import type { Figures } from '../figures.ts';
import { describeLoad, describeMachine, isMachineQuiet } from '../machine.ts';
import { Results } from '../results.ts';
import { formatTargets } from '../targets.ts';
import { agentTables, formatAgentTable, judgeAgent, SUBJECT } from './agent-tables.ts';
import { measureCrowd } from './measure-crowd.ts';
import { measureRecovery } from './measure-recovery.ts';
import { createLongRun } from './measure-resume.ts';
import { measureStartUp } from './measure-start-up.ts';
import { measureSubscribers } from './measure-subscribers.ts';
import { measureTurns } from './measure-turns.ts';
import { writeReport } from './report.ts';

const TITLE = 'The agent';

// `npm run bench -- agent` passes `agent` as a positional argument.
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const rounds = values.quick ? 1 : 5;
const wanted = (values.only ?? agentTables.map(({ key }) => key).join(',')).split(',');
const unknown = wanted.filter((key) => !agentTables.some((table) => table.key === key));
if (unknown.length > 0)
  throw new Error(
    `Nothing is called ${unknown.join(', ')}; there are ${agentTables.map(({ key }) => key).join(', ')}`,
  );
const begun = performance.now();
const isQuiet = await isMachineQuiet();

const heading = `# ${TITLE}, ${new Date().toISOString().slice(0, 10)}\n\n${describeMachine()}.${isQuiet ? '' : ' **Other work was done on it meanwhile: the times say little.**'}\n`;
await using longRun = wanted.includes('resume') ? await createLongRun() : undefined;
const measures: { readonly [key: string]: () => Promise<Figures> } = {
  turns: measureTurns,
  crowd: () => measureCrowd(200),
  largeCrowd: () => measureCrowd(500),
  sharedCrowd: () => measureCrowd(500, 1),
  subscribers: measureSubscribers,
  resume: () => longRun?.measure() ?? Promise.resolve({}),
  startUp: measureStartUp,
  recovery: measureRecovery,
};
const results = new Results();
for (let round = 1; round <= rounds; round += 1) {
  for (const [key, measure] of Object.entries(measures)) {
    if (!wanted.includes(key)) continue;
    process.stderr.write(`round ${String(round)} of ${String(rounds)}: ${key}\n`);
    results.add(SUBJECT, key, await measure());
  }
}
const tables = agentTables
  .filter(({ key }) => wanted.includes(key))
  .map((table) => `\n${formatAgentTable(table, results)}`);
const targets = formatTargets(judgeAgent(results).filter(({ measured }) => measured !== '–'));
const end = `${String(rounds)} rounds in ${((performance.now() - begun) / 1000).toFixed(0)} s; load average at the end ${describeLoad()}`;
await writeReport({
  title: TITLE,
  toFile: values.write,
  text: `${heading}${tables.join('')}\n${targets}\n${end}\n`,
});
