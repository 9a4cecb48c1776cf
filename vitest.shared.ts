import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** The configuration of every package's tests; tools/test.mjs adds up the JSON results. */
export const shared: ViteUserConfig = defineConfig({
  resolve: { conditions: ['@signalbox/source'] },
  ssr: {
    resolve: { conditions: ['@signalbox/source'], externalConditions: ['@signalbox/source'] },
  },
  test: {
    include: ['src/**/*.test.ts'],
    reporters: ['default', 'json', join(import.meta.dirname, 'vitest.proofs.ts')],
    outputFile: { json: '.results/vitest.json' },
    globalSetup: join(import.meta.dirname, 'vitest.temporary-folder.ts'),
    pool: 'forks',
    // A process for each worker, not for each file: half of the time was loading the same modules again. A test leaves nothing behind in its process.
    isolate: false,
    // Most of the time goes into waiting for child processes.
    maxWorkers: 3,
    // Times after which a test is taken to hang: no test passes or fails by its speed on a loaded machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: join(import.meta.dirname, 'vitest.hang-limits.ts'),
  },
});
