import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './cli/command.ts';
import { createProcessIo } from './cli/process-io.ts';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as { readonly version: string };

// The timers of the service do not keep a process alive; a command that is not finished does.
const untilFinished = setInterval(() => undefined, 60_000);
process.exitCode = await runCommand(createProcessIo(process), {
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  repository: join(import.meta.dirname, '..', '..', '..'),
  version: manifest.version,
});
clearInterval(untilFinished);
