// npm run dev: runs the service from its sources and restarts it when a source changes.
import { spawn } from 'node:child_process';

const args = [
  '--watch',
  '--conditions=@signalbox/source',
  'apps/agent/src/main.ts',
  'serve',
  '--demo',
  ...process.argv.slice(2),
];
const child = spawn(process.execPath, args, { stdio: 'inherit' });
process.on('SIGTERM', () => child.kill('SIGTERM'));
// Ctrl-C also reaches the child; this process waits until it has ended.
process.on('SIGINT', () => undefined);
child.once('exit', (code) => process.exit(code ?? 0));
