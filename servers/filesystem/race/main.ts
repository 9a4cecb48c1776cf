import { parseArgs } from 'node:util';
import { hasKernelHandles, kernelHandleOpener } from '@signalbox/file-sandbox';
import { attack, type AttackOutcome } from './attack.ts';
import { attackWatches, type WatchCount } from './attack-watches.ts';
import { survivingEdits } from './parallel-edits.ts';
import { unguardedOpener } from './unguarded-opener.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const full = { reads: 100_000, writes: 30_000, subscriptions: 10_000 };
const plan = values.quick ? { reads: 4000, writes: 2000, subscriptions: 300 } : full;
/** Attacks on a control end when every kind is broken, which takes some thousands of requests. */
const controlPlan = { ...full, stopsWhenBroken: true };
/** Part of the requests of a kind that must succeed for the attack on it to mean something. */
const minSuccess = 1 / 50;
const problems: string[] = [];

if (await hasKernelHandles('/')) {
  const guarded = await attack(kernelHandleOpener, plan);
  report('guarded', guarded);
  if (guarded.leaks > 0) problems.push(`${guarded.leaks} answers show something of the outside`);
  if (guarded.changesOutside.size > 0)
    problems.push(`outside was changed: ${[...guarded.changesOutside].join(', ')}`);
  const control = await attack(unguardedOpener, controlPlan);
  report('control', control);
  for (const [name, { sent, succeeded }] of guarded.kinds) {
    if (succeeded < sent * minSuccess)
      problems.push(`${name}: only ${succeeded} of ${sent} succeeded, so the attack means nothing`);
    if (control.kinds.get(name)?.broken === 0)
      problems.push(`${name}: the attack did not break the control, so it proves nothing`);
  }
  const watches = await attackWatches(kernelHandleOpener, plan);
  const watchControl = await attackWatches(unguardedOpener, controlPlan);
  reportWatches('guarded', watches);
  reportWatches('control', watchControl);
  for (const [kind, { subscriptions, inside, outside }] of watches) {
    if (outside > 0) problems.push(`${outside} subscriptions to ${kind} watched the outside`);
    if (inside < subscriptions * minSuccess)
      problems.push(`subscriptions to ${kind}: too few watched the directory inside`);
    if (watchControl.get(kind)?.outside === 0)
      problems.push(`subscriptions to ${kind}: the attack did not break the control`);
  }
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
  title: string,
  { kinds, leaks, changesOutside, swaps, elapsedMs }: AttackOutcome,
): void {
  const seconds = (elapsedMs / 1000).toFixed(1);
  const rows = Array.from(
    kinds,
    ([name, { sent, succeeded, broken }]) =>
      `  ${name.padEnd(26)}${[sent, succeeded, broken].map((count) => String(count).padStart(10)).join('')}\n`,
  );
  process.stdout.write(
    `${title}: ${swaps} swaps in ${seconds} s; ${leaks} leaks, ${changesOutside.size} changes outside; sent, succeeded and broken of each kind:\n${rows.join('')}`,
  );
}

function reportWatches(title: string, kinds: ReadonlyMap<string, WatchCount>): void {
  for (const [kind, { subscriptions, inside, outside }] of kinds)
    process.stdout.write(
      `${title}: ${subscriptions} subscriptions to ${kind}, ${inside} watched inside, ${outside} outside\n`,
    );
}
