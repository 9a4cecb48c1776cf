// node src/store/postgres/testing/main.ts [FILES]: the tests of the engine with their runs in PostgreSQL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const MODULE = new URL('../../../../../../tests/peers/src/postgres-engine.ts', import.meta.url)
  .href;
const { startPostgres } = (await import(MODULE)) as {
  startPostgres: () => Promise<{ url: string; close: () => Promise<void> }>;
};
const engine = await startPostgres();
const files = process.argv.slice(2);
const tests = spawn('npx', ['vitest', 'run', ...(files.length === 0 ? ['src/run'] : files)], {
  stdio: 'inherit',
  env: { ...process.env, TEST_POSTGRES: engine.url },
});
const [code] = (await once(tests, 'exit')) as [number | null];
await engine.close();
process.exitCode = code ?? 1;
