// npm run e2e -- --store postgres --queue bullmq-redis [FILES…]: the tests of this package, each service on the chosen store and queue. Further arguments go to vitest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startChosenEngines } from './support/chosen-engines.ts';

/** Tests that read the file of SQLite. */
const FOR_SQLITE = ['src/chaos/chaos.test.ts'];

const rest = process.argv.slice(2);
const engines = await startChosenEngines(rest);
if ('E2E_POSTGRES_URL' in engines.env) {
  process.stderr.write(`without ${FOR_SQLITE.join(', ')}, which read the file of SQLite\n`);
  rest.push(...FOR_SQLITE.flatMap((file) => ['--exclude', file]));
}
const tests = spawn('vitest', ['run', ...rest], {
  stdio: 'inherit',
  env: { ...process.env, ...engines.env },
});
const [code] = (await once(tests, 'exit')) as [number | null];
await engines.stop();
process.exitCode = code ?? 1;
