import { defineConfig } from 'vitest/config';

// `npx vitest` at the root: every package in one process, for watch mode and for merged coverage.
export default defineConfig({
  test: {
    projects: [
      'libs/*',
      'servers/*',
      'apps/*',
      'tests/conformance',
      'tests/e2e',
      'tests/interop',
      'tools/workspace',
      'bench',
    ],
    reporters: ['default'],
    coverage: {
      provider: 'v8',
      include: ['{libs,servers,apps}/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/testing/**'],
      reporter: ['text', 'json-summary'],
    },
  },
});
