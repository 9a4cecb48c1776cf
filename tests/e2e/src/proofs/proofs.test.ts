import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../support/markdown.ts';
import { temporaryFolder } from '../support/service.ts';
import { proofProblems, readPage } from './proof-problems.ts';

test.each(['docs/guarantees.md', 'docs/threat-model.md'])(
  'every statement of %s has a proof that exists and runs, or is marked as unproved',
  (path) => {
    expect(proofProblems(repository, readPage(repository, path))).toEqual([]);
  },
);

test('there are seven guarantees', () => {
  expect(readPage(repository, 'docs/guarantees.md').text.match(/^## \d\./gm)).toHaveLength(7);
});

describe('the check fails for a page', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    mkdirSync(join(folder.path, 'src'));
    writeFileSync(
      join(folder.path, 'src/a.test.ts'),
      "test('it works', () => 0);\ntest.skip('it worked', () => 0);\ntest.each([\n  [1],\n])('it\\'s %s', () => 0);\ncheck('it is', 'it is no test', 'it');\n",
    );
  });
  afterAll(() => folder.remove());
  const problemsOf = (text: string): readonly string[] =>
    proofProblems(folder.path, { folder: 'docs', text });

  test.each([
    ['a file that is not there', 'it works', 'b', ['src/b.test.ts does not exist']],
    ['a test that is not there', 'it fails', 'a', ['src/a.test.ts has no test "it fails"']],
    ['another text', 'it is no test', 'a', ['src/a.test.ts has no test "it is no test"']],
    ['a part of a name', 'it work', 'a', ['src/a.test.ts has no test "it work"']],
    ['a test that does not run', 'it worked', 'a', ['src/a.test.ts does not run "it worked"']],
    ['a test that is there', 'it works', 'a', []],
    ['a test of several examples', "it's …", 'a', []],
  ])('when it links to %s', (_what, title, file, problems) => {
    expect(problemsOf(`[${title}](../src/${file}.test.ts)`)).toEqual(problems);
  });

  test('when a section or a row of a table has no proof', () => {
    expect(problemsOf('## 1. It works.\n\nIt does.\n\n## Words\n\nNone.\n')).toEqual([
      'without a proof: ## 1. It works.',
    ]);
    expect(problemsOf('## 1. It works.\n\nUnproved: that it does.\n')).toEqual([]);
    expect(problemsOf('| threat | test |\n|---|---|\n| somebody | none |\n')).toEqual([
      'without a proof: | somebody | none |',
    ]);
    expect(
      problemsOf('| threat | test |\n|---|---|\n| somebody | [it works](../src/a.test.ts) |\n'),
    ).toEqual([]);
  });
});
