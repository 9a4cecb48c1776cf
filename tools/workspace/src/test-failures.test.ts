import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Result {
  readonly status: 'passed' | 'failed';
  readonly fullName: string;
  readonly failureMessages?: readonly string[];
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: 'passed' | 'failed';
    readonly message?: string;
    readonly assertionResults: readonly Result[];
  }[];
}

const { failuresOf } = (await import(new URL('../../test-failures.mjs', import.meta.url).href)) as {
  readonly failuresOf: (report: Report, root: string) => readonly string[];
};

test('npm test names each failed test with the first line of its message, and each file that could not be loaded', () => {
  const root = join('/', 'checkout');
  const testResults: Report['testResults'] = [
    {
      name: join(root, 'src', 'one.test.ts'),
      status: 'failed',
      assertionResults: [
        { status: 'passed', fullName: 'fits' },
        { status: 'failed', fullName: ' list is short', failureMessages: ['Error: long\n at x'] },
      ],
    },
    {
      name: join(root, 'src', 'two.test.ts'),
      status: 'failed',
      message: 'Cannot find module\nof two',
      assertionResults: [],
    },
    { name: join(root, 'src', 'three.test.ts'), status: 'passed', assertionResults: [] },
  ];
  expect(failuresOf({ testResults }, root)).toEqual([
    'src/one.test.ts > list is short: Error: long',
    'src/two.test.ts: Cannot find module',
  ]);
});
