// npm run fuzz -- [--messages 1000000] [--seed 1] [--target stdio] [--stride 1] [--control]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { breakGuard, guards, NO_SUCH_GUARD } from './broken-guards.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    target: { type: 'string' },
    /** Verifies that the fuzzer fails without each guard. */
    control: { type: 'boolean', default: false },
    'without-guard': { type: 'string' },
    /** Turns from one departure to the next; 1 leaves before each turn. */
    stride: { type: 'string', default: '1' },
  },
});
/** Share of the messages whose clients leave; each takes as long as twenty others. */
const DISCONNECT_SHARE = 0.1;
const report = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

if (values.control) {
  const unnoticed = Object.keys(guards).filter((name) => !isNoticed(name));
  if (unnoticed.length > 0) throw new Error(`not noticed: ${unnoticed.join(', ')}`);
} else {
  if (values['without-guard'] !== undefined) breakGuard(values['without-guard']);
  // Loaded after the guard was removed.
  const { fuzz } = await import('./fuzz.ts');
  const { httpTarget } = await import('./http-target.ts');
  const { inMemoryTarget } = await import('./in-memory-target.ts');
  const { stdioTarget } = await import('./stdio-target.ts');
  const { DISCONNECTS, fuzzDisconnects } = await import('./disconnects/fuzz-disconnects.ts');
  const targets = [stdioTarget, inMemoryTarget, httpTarget].filter(
    ({ name }) => values.target === undefined || values.target === name,
  );
  const hasDisconnects = values.target === undefined || values.target === DISCONNECTS;
  const messages = Number(values.messages);
  const disconnectMessages =
    targets.length === 0 ? messages : hasDisconnects ? messages * DISCONNECT_SHARE : 0;
  const options = { seed: Number(values.seed), report };
  for (const target of targets)
    await fuzz(target, {
      ...options,
      messages: Math.ceil((messages - disconnectMessages) / targets.length),
    });
  if (hasDisconnects)
    await fuzzDisconnects({
      ...options,
      messages: disconnectMessages,
      stride: Number(values.stride),
    });
}

function isNoticed(guard: string): boolean {
  const args = [
    '--conditions=@signalbox/source',
    fileURLToPath(import.meta.url),
    '--without-guard',
    guard,
    '--messages',
    '60000',
    '--target',
    guards[guard]?.target ?? 'stdio',
  ];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const reason = String(/^\S*Error: .*$/mu.exec(stderr)?.[0]);
  // A guard that is missing from its file was not removed.
  const isMissing = reason.includes(NO_SUCH_GUARD);
  report(
    `without ${guard}: ${status === 0 ? 'NOT NOTICED' : `${isMissing ? 'NOT TRIED' : 'noticed'}: ${reason}`}`,
  );
  return status !== 0 && !isMissing;
}
