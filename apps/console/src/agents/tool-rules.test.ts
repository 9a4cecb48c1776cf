import { expect, test } from 'vitest';
import { EMPTY_AGENT } from './agent-draft.ts';
import { effectOn, matchesPattern, suggestedPatterns } from './tool-rules.ts';

test.each([
  ['files__read', 'files__read', true],
  ['files__read', 'files__*', true],
  ['files__read', '*__read', true],
  ['files__read', '*', true],
  ['files__read', 'files__rea', false],
  ['files__read', '*__write', false],
  ['files__read', 'files..read', false],
  ['files__a+b', 'files__a+*', true],
  ['files__read', '', false],
  ['files__read', 'f*_*d', true],
  ['files__read', 'files__read*read', false],
  ['a__aaa', 'a*a*a*a', true],
  ['a__aa', 'a*a*a*a', false],
])('whether %s matches %s is %s', (name, pattern, expected) => {
  expect(matchesPattern(name, pattern)).toBe(expected);
});

test('the effect on a tool follows from the patterns and the first rule that matches', () => {
  const draft = {
    ...EMPTY_AGENT,
    allow: ['files__*', ''],
    deny: ['*__delete'],
    approvals: [
      { tools: 'files__read', policy: 'auto' as const },
      { tools: 'files__*', policy: 'ask' as const },
    ],
  };
  expect(effectOn(draft, 'files__read')).toEqual({ isUsable: true, policy: 'auto' });
  expect(effectOn(draft, 'files__delete')).toEqual({ isUsable: false, policy: 'ask' });
  expect(effectOn(draft, 'mail__send')).toEqual({ isUsable: false, policy: undefined });
  expect(effectOn({ ...EMPTY_AGENT, allow: [''] }, 'mail__send').isUsable).toBe(true);
});

test('the suggestions have a pattern for each server before the tools', () => {
  expect(suggestedPatterns(['a__x', 'a__y', 'b__z'])).toEqual([
    'a__*',
    'b__*',
    'a__x',
    'a__y',
    'b__z',
  ]);
});
