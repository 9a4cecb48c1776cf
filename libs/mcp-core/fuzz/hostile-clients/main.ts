// npm run hostile-clients -- [--clients 10000] [--only TEXT] [--control]
import { parseArgs } from 'node:util';
import { behaviors } from './behaviors.ts';
import { besiege } from './besiege.ts';
import { memoryBound, type ServerLimits } from './memory-bound.ts';

const MIB = 1024 * 1024;

const { values } = parseArgs({
  options: {
    /** Default: 10,000, and 1000 with `control`, which takes a gigabyte. */
    clients: { type: 'string' },
    only: { type: 'string' },
    /** Limits off: clients that send or do not read must exceed the bound. */
    control: { type: 'boolean', default: false },
  },
});
const count = Number(values.clients ?? (values.control ? '1000' : '10000'));
const limited: ServerLimits = {
  maxConnections: count,
  maxSessions: count,
  maxRequestBytes: 8 * MIB,
  maxUnsentBytes: 32 * MIB,
};
const unlimited = { maxConnections: count, maxSessions: count };
const controls = ['leave responses unread', 'send endless bodies'];
const bound = memoryBound(limited);
let failures = 0;
for (const [name, behavior] of Object.entries(behaviors)) {
  if (values.only !== undefined && !name.includes(values.only)) continue;
  if (values.control && !controls.includes(name)) continue;
  const bytes = await besiege([behavior], count, values.control ? unlimited : limited);
  const isExceeded = bytes > bound;
  if (isExceeded !== values.control) failures += 1;
  process.stdout.write(
    `${isExceeded === values.control ? 'ok  ' : 'FAIL'} ${String(count)} clients that ${name}: ${toMib(bytes)} MiB of at most ${toMib(bound)} MiB\n`,
  );
}
process.exitCode = failures === 0 ? 0 : 1;

function toMib(bytes: number): string {
  return (bytes / MIB).toFixed(0);
}
