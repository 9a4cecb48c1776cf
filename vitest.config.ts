import { defineConfig } from 'vitest/config';
import { reporters } from './vitest.shared.ts';

// Every package in one process: for `npm test`, watch mode and merged coverage.
export default defineConfig({
  test: {
    projects: [
      'libs/*',
      'servers/*',
      'apps/*',
      'examples/*',
      'tests/conformance',
      'tests/console',
      'tests/e2e',
      'tests/interop',
      'tests/support/*',
      'tools/create-server',
      'tools/workspace',
      'bench',
    ],
    reporters,
    outputFile: { json: '.results/vitest.json' },
    coverage: {
      provider: 'v8',
      include: ['{libs,servers,apps}/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/testing/**'],
      reporter: ['text', 'json-summary'],
    },
  },
});
