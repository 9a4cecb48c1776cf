// npm run dev: the service from its sources, started anew when one of them changes.
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
// Ctrl-C reaches the child, too; this process waits for its end.
process.on('SIGINT', () => undefined);
child.once('exit', (code) => process.exit(code ?? 0));
