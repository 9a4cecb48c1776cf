import { flushCompileCache } from 'node:module';
import { systemClock } from '../../system/system-clock.ts';
import { createServerPool } from '../server-pool.ts';
import { recordingLogger, serverConfig } from './pool-fixture.ts';

/**
 * Owns a pool with one server, run as a process by tests that kill it. Its arguments are the
 * server's. Writes the server's process id, and closes the pool when it receives input.
 */
const [, , ...args] = process.argv;
// A process that is killed would not write it.
flushCompileCache();

const pool = createServerPool({
  servers: [serverConfig('owned', { command: 'node', args })],
  clientInfo: { name: 'owner', version: '0' },
  logger: recordingLogger(),
  clock: systemClock,
  graceMs: 200,
  ...(process.env['POOL_OWNER'] ? { owner: process.env['POOL_OWNER'] } : {}),
  isShared: process.env['POOL_IS_SHARED'] === 'yes',
});
pool.onServerChange(
  ({ state, pid }) => void (state === 'ready' && process.stdout.write(`${pid}\n`)),
);
process.stdin.once('end', () => process.exit(1));
process.stdin.once('data', () => {
  process.stdin.destroy();
  void pool.close().then(() => process.stdout.write('closed\n'));
});
pool.start();
