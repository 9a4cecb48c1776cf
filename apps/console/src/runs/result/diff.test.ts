import { expect, test } from 'vitest';
import { diffLines, unifiedDiffIn } from './diff.ts';

const DIFF = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n';

test('a diff is found in a text, without the fence around it', () => {
  expect(unifiedDiffIn(`Edited x:\n\`\`\`diff\n${DIFF}\`\`\`\nDone.`)).toBe(DIFF);
  expect(unifiedDiffIn('--- a rule\n+++ not a diff')).toBeUndefined();
});

test('its lines have their kinds', () => {
  expect(diffLines(DIFF).map(({ kind }) => kind)).toEqual([
    'header',
    'header',
    'hunk',
    'same',
    'removed',
    'added',
  ]);
});
