import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('routes change runs, threads and agents through the engine; only idempotency keys are written here', () => {
  const root = import.meta.dirname;
  const writers = globSync('*.ts', { cwd: root }).filter(
    (path) =>
      !path.endsWith('.test.ts') &&
      path !== 'testing.ts' &&
      /\bstore\.write\b/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(writers).toEqual(['idempotency.ts']);
});
