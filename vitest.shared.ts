import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const atRoot = (file: string): string => join(import.meta.dirname, file);

/** The reporters of every run; tools/test.mjs adds up the JSON results. */
export const reporters: string[] = [
  'default',
  'json',
  ...['vitest.proofs.ts', 'vitest.hangs.ts', 'vitest.retries.ts'].map(atRoot),
];

/** The configuration of every package's tests. */
export const shared: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    reporters,
    outputFile: { json: '.results/vitest.json' },
    globalSetup: atRoot('vitest.temporary-folder.ts'),
    pool: 'forks',
    // Node loads the modules, from the sources of the packages. Vite would compile each module once for every package whose tests import it.
    experimental: { viteModuleRunner: false },
    execArgv: ['--conditions=@signalbox/source'],
    // A process for each worker, not for each file: half of the time was loading the same modules again. A test leaves nothing behind in its process.
    isolate: false,
    // Most of the time goes into waiting for child processes.
    maxWorkers: 3,
    // Times after which a test is taken to hang: no test passes or fails by its speed on a loaded machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The machine of CI is shared and at times slow. Tests that needed a second try are named at the end of `npm test`.
    retry: process.env['CI'] === undefined ? 0 : 2,
    setupFiles: ['vitest.hang-limits.ts', 'vitest.fake-timers.ts'].map(atRoot),
  },
});
