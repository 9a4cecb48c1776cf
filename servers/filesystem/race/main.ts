import { parseArgs } from 'node:util';
import { hasKernelHandles, kernelHandleOpener } from '@signalbox/file-sandbox';
import { attack, type AttackOutcome } from './attack.ts';
import { attackWatches, type WatchAttackOutcome } from './attack-watches.ts';
import { survivingEdits } from './parallel-edits.ts';
import { unguardedOpener } from './unguarded-opener.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const plan = values.quick
  ? { reads: 2000, writes: 600, subscriptions: 300 }
  : { reads: 100_000, writes: 30_000, subscriptions: 10_000 };
const problems: string[] = [];

if (await hasKernelHandles('/')) {
  const guarded = await attack(kernelHandleOpener, plan);
  report('guarded', guarded);
  if (guarded.leaks > 0) problems.push(`${guarded.leaks} answers show something of the outside`);
  if (guarded.changedOutside.length > 0)
    problems.push(`outside was changed: ${guarded.changedOutside.join(', ')}`);
  if (guarded.succeeded < (plan.reads + plan.writes) / 20)
    problems.push('too few calls succeeded for the attack to mean something');
  const control = await attack(unguardedOpener, { ...plan, stopsWhenBroken: true });
  report('control', control);
  if (control.leaks === 0 || control.changedOutside.length === 0)
    problems.push('the attack did not break the control, so it proves nothing');
  const watches = await attackWatches(kernelHandleOpener, plan);
  reportWatches('guarded', watches);
  if (watches.outside > 0) problems.push(`${watches.outside} subscriptions watched the outside`);
  if (watches.inside < plan.subscriptions / 20)
    problems.push('too few directories were watched for the attack to mean something');
  const watchControl = await attackWatches(unguardedOpener, { ...plan, stopsWhenBroken: true });
  reportWatches('control', watchControl);
  if (watchControl.outside === 0)
    problems.push('the attack did not break the control of subscriptions, so it proves nothing');
} else {
  process.stdout.write(
    'This system has no kernel handles (/proc/self/fd): the race cannot be won here, see the README.\n',
  );
}

const edits = 50;
const survived = await survivingEdits(edits, true);
const control = await survivingEdits(edits, false);
process.stdout.write(
  `edits: ${survived} of ${edits} at once, each by a server of its own, survived; control, without locks: ${control}\n`,
);
if (survived < edits) problems.push(`${edits - survived} edits were lost`);
if (control === edits) problems.push('the control lost no edit, so the locks are not proven');

for (const problem of problems) process.stderr.write(`race: ${problem}\n`);
process.stdout.write(problems.length === 0 ? 'race: OK\n' : 'race: FAILED\n');
process.exit(problems.length === 0 ? 0 : 1);

function report(
  name: string,
  { reads, writes, succeeded, leaks, changedOutside, swaps, elapsedMs }: AttackOutcome,
): void {
  const seconds = (elapsedMs / 1000).toFixed(1);
  process.stdout.write(
    `${name}: ${reads} reads, ${writes} writes, ${succeeded} succeeded, ${swaps} swaps in ${seconds} s; ${leaks} leaks, ${changedOutside.length} changes outside\n`,
  );
}

function reportWatches(name: string, { subscriptions, inside, outside }: WatchAttackOutcome): void {
  process.stdout.write(
    `${name}: ${subscriptions} subscriptions, ${inside} watched inside, ${outside} outside\n`,
  );
}
