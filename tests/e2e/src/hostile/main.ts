// npm run hostile: every hostile server and model, one after another, beside one service and its calm server. Options: --only TEXT, --list, --control (servers without the size limit of messages: each must exceed a limit of the suite).
import { parseArgs } from 'node:util';
import { controlCases, hostileCases } from './cases.ts';
import { median, repeatCalmRuns, runCase, type CaseReport } from './run-case.ts';
import { createWorld } from './world.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, list: { type: 'boolean' }, control: { type: 'boolean' } },
});
const isControl = values.control === true;
const chosen = (isControl ? controlCases : hostileCases).filter(
  ({ name }) => values.only === undefined || name.includes(values.only),
);
if (values.list === true) {
  process.stdout.write(`${chosen.map(({ name }) => name).join('\n')}\n${chosen.length} cases\n`);
  process.exit(0);
}

let world = await createWorld();
const never = new AbortController().signal;
await repeatCalmRuns(world.api, never, { count: 10 });
const quietMs = median(await repeatCalmRuns(world.api, never, { count: 30 }));
process.stdout.write(`a calm run takes ${quietMs.toFixed(0)} ms while nobody is hostile\n`);
const limits = { blockedMs: 250, memoryMb: 512, answerMs: 250, runMs: 2 * quietMs };

const reports: CaseReport[] = [];
for (const hostile of chosen) {
  const report = await runCase(world, hostile, limits);
  reports.push(report);
  const { name, longestMs, peakMb, calmMs, slowestAnswerMs, problems } = report;
  const figures = `blocked ${longestMs.toFixed(0)} ms, ${peakMb.toFixed(0)} MB, calm run ${calmMs.toFixed(0)} ms, answer ${slowestAnswerMs.toFixed(0)} ms`;
  process.stdout.write(
    `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${figures})${problems.map((problem) => `\n     ${problem}`).join('')}\n`,
  );
  if (report.ended === undefined) continue;
  await world.close();
  world = await createWorld();
}
await world.close();

const failed = reports.filter(({ problems }) => problems.length > 0 !== isControl).length;
process.stdout.write(`\n${reports.length - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
