// npm run e2e -- --store postgres --queue bullmq-redis [FILES…]: the tests of this package, each service on the chosen store and queue. Further arguments go to vitest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startChosenEngines } from './support/chosen-engines.ts';

/** Starts a store and a queue of its own, which `npm run chaos` chooses. */
const CHAOS = 'src/chaos/chaos.test.ts';

const rest = process.argv.slice(2);
const engines = await startChosenEngines(rest);
if (Object.keys(engines.env).length > 0) rest.push('--exclude', CHAOS);
const tests = spawn('vitest', ['run', ...rest], {
  stdio: 'inherit',
  env: { ...process.env, ...engines.env },
});
const [code] = (await once(tests, 'exit')) as [number | null];
await engines.stop();
process.exitCode = code ?? 1;
