import { readFileSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  boundGarbage,
  freeCompilationsAtOnce,
  startWithSmallYoungGeneration,
  withFixedFlags,
} from './bound-heap.ts';
import { chunks, createOwnFolder } from './chunk-loader.ts';

// Without a listener the signal opens Node's inspector, through which every program of this machine could read all memory.
process.on('SIGUSR1', () => undefined);
const { NODE_COMPILE_CACHE: chosenFolder, NODE_DISABLE_COMPILE_CACHE: isDisabled } = process.env;
// Node runs the code in its cache, even if another user wrote it. Node has already enabled the cache that NODE_COMPILE_CACHE names.
if (!chosenFolder && !isDisabled && createOwnFolder(join(tmpdir(), 'node-compile-cache')))
  enableCompileCache();
freeCompilationsAtOnce();
startWithSmallYoungGeneration({ startMs: 3000, bytes: 8 * 1024 * 1024 });
const cacheFolder = getCompileCacheDir();
// A cache holds the functions that ran before it was written, and a service runs more of them than a command.
const use = process.argv[2] === 'serve' ? 'serve' : 'command';
if (cacheFolder !== undefined)
  chunks.useCodeCache({ folder: join(cacheFolder, 'signalbox', use), withFixedFlags });
const [{ runCommand }, { createProcessIo }] = await Promise.all([
  import('./cli/command.ts'),
  import('./cli/process-io.ts'),
]);
// Before it is ready, a service would only wait for a collection that frees little.
setTimeout(boundGarbage, 300, 100).unref();

const manifest = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'),
) as { readonly version: string };

// Keeps the process alive until the command ends: the timers of the service do not.
const untilFinished = setInterval(() => undefined, 60_000);
const io = createProcessIo(process, { onReady: () => void chunks.saveCodeCache() });
const exitCode = await runCommand(io, {
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  repository: join(import.meta.dirname, '..', '..', '..'),
  version: manifest.version,
});
await chunks.saveCodeCache();
clearInterval(untilFinished);
io.finish(exitCode);
