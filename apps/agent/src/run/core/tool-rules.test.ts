import { expect, test } from 'vitest';
import { isOffered, mergeRules, requestedRules, toolRulesData } from './tool-rules.ts';

test.each([
  [undefined, 'files__read', true],
  [{ allow: ['files__*'] }, 'files__read', true],
  [{ allow: ['files__*'] }, 'mail__read', false],
  [{ allow: ['files__*'], deny: ['*__delete'] }, 'files__delete', false],
  [{ deny: ['*__delete'] }, 'files__read', true],
  [{ deny: ['*'] }, 'files__read', false],
])('the rules %j offer %s: %s', (rules, wireName, expected) => {
  expect(isOffered(rules, wireName)).toBe(expected);
});

test('rules of a run replace those of its agent field by field, and null removes one', () => {
  const agent = {
    allow: ['a__*'],
    deny: ['a__b'],
    approvals: [{ tools: '*', policy: 'ask' }],
  } as const;
  const merged = (run: Parameters<typeof requestedRules>[0]) =>
    mergeRules(agent, requestedRules(run));
  expect(merged({})).toEqual(agent);
  expect(merged({ tools: { deny: ['a__c'] } })).toEqual({ ...agent, deny: ['a__c'] });
  expect(merged({ tools: { allow: null } })).toEqual({
    deny: agent.deny,
    approvals: agent.approvals,
  });
  expect(merged({ tools: null, approvals: [{ tools: 'a__*', policy: 'deny' }] })).toEqual({
    approvals: [{ tools: 'a__*', policy: 'deny' }],
  });
  expect(merged({ tools: null, approvals: null })).toBeUndefined();
});

test('rules are returned by their names in the API', () => {
  const rules = { deny: ['a__b'], approvals: [{ tools: '*', policy: 'ask' }] } as const;
  expect(toolRulesData(rules)).toEqual({
    tools: { deny: ['a__b'] },
    approvals: [{ tools: '*', policy: 'ask' }],
  });
  expect(requestedRules(toolRulesData(rules))).toEqual(rules);
  expect(toolRulesData({ approvals: rules.approvals })).toEqual({ approvals: rules.approvals });
  expect(toolRulesData()).toEqual({});
});
