import { expect, test } from 'vitest';
import type { ServerPolicy } from '../core/server-policy.ts';
import { approvalPolicy, rulesPolicy, stricter } from './policy.ts';

const reads = { readOnlyHint: true };
const tool = (name: string, trusted = true, annotations = {}) => ({ name, trusted, annotations });

test.each([
  ['a read-only tool of a trusted server', tool('get', true, reads), 'auto'],
  ['a read-only tool of another server', tool('get', false, reads), 'ask'],
  ['a tool without hints', tool('set'), 'ask'],
] as const)('without a rule %s is %3$s', (_case, given, expected) => {
  expect(approvalPolicy({ approval: 'default' }, given)).toBe(expected);
});

test('the first rule whose pattern matches the name wins over the hints and the setting for the server', () => {
  const settings: Pick<ServerPolicy, 'approval' | 'approvals'> = {
    approval: 'ask',
    approvals: [
      { tools: 'delete_temporary_*', policy: 'auto' },
      { tools: 'delete_*', policy: 'deny' },
      { tools: '*_file', policy: 'auto' },
    ],
  };
  expect(approvalPolicy(settings, tool('delete_temporary_file'))).toBe('auto');
  expect(approvalPolicy(settings, tool('delete_file'))).toBe('deny');
  expect(approvalPolicy(settings, tool('write_file', false))).toBe('auto');
  expect(approvalPolicy(settings, tool('list', true, reads))).toBe('ask');
});

test('a pattern without a star matches the whole name', () => {
  const settings: Pick<ServerPolicy, 'approval' | 'approvals'> = {
    approval: 'deny',
    approvals: [{ tools: 'read', policy: 'auto' }],
  };
  expect(approvalPolicy(settings, tool('read'))).toBe('auto');
  expect(approvalPolicy(settings, tool('read_all'))).toBe('deny');
});

test.each([
  ['auto', 'auto', 'auto'],
  ['auto', 'ask', 'ask'],
  ['ask', 'deny', 'deny'],
  ['auto', 'deny', 'deny'],
] as const)('the stricter of %s and %s, in either order, is %s', (one, other, expected) => {
  expect([stricter(one, other), stricter(other, one)]).toEqual([expected, expected]);
});

test('the first rule of a run that matches the wire name decides, and a tool that is not offered is denied', () => {
  const rules = {
    allow: ['files__*'],
    approvals: [
      { tools: 'files__read_*', policy: 'auto' },
      { tools: 'files__*', policy: 'ask' },
    ],
  } as const;
  expect(rulesPolicy(rules, 'files__read_text')).toBe('auto');
  expect(rulesPolicy(rules, 'files__write')).toBe('ask');
  expect(rulesPolicy(rules, 'mail__send')).toBe('deny');
  expect(rulesPolicy(undefined, 'mail__send')).toBe('auto');
});
