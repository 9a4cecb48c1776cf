import { expect, test } from 'vitest';
import { requirements } from './index.ts';
import { EVERY_VERSION } from './requirement.ts';

test('every rule is one sentence with a dated page, revisions in order, a side and a wire', () => {
  const wrong = Object.entries(requirements).filter(([, { rule, url, versions, on, sides }]) => {
    const isSentence = /^\S.*[^.]\.$/.test(rule) && !rule.includes('. ');
    const isDated =
      /^https:\/\/modelcontextprotocol\.io\/(?:specification\/20\d\d-\d\d-\d\d\/|extensions\/)/.test(
        url,
      );
    const isOrdered =
      EVERY_VERSION.filter((version) => versions.includes(version)).join(',') ===
      versions.join(',');
    return (
      !isSentence ||
      !isDated ||
      !isOrdered ||
      versions.length === 0 ||
      sides.length === 0 ||
      on.length === 0
    );
  });
  expect(wrong).toEqual([]);
});
