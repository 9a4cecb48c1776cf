import type { ElicitResult } from '@signalbox/mcp-core';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { expect, test } from 'vitest';
import { Confirmations } from './confirmations.ts';

const step = { tool: 'delete_file', arguments: { path: 'd', recursive: true }, impact: 'd with 3 files is deleted.' };
const cannotAsk = createTestContext();

async function tokenOf(confirmations: Confirmations): Promise<string> {
  const message = await confirmations.confirm(cannotAsk, step).then(() => 'confirmed', String);
  expect(message).toContain(step.impact);
  return /confirmToken "([^"]+)"/.exec(message)?.[1] ?? '';
}

test.each<[ElicitResult, boolean]>([
  [{ action: 'accept', content: { confirm: true } }, true],
  [{ action: 'accept', content: { confirm: false } }, false],
  [{ action: 'decline' }, false],
  [{ action: 'cancel' }, false],
])('a person who answers %j decides', async (answer, isConfirmed) => {
  const context = createTestContext({ elicit: () => answer });
  const outcome = await new Confirmations({ policy: 'auto' }).confirm(context, step).then(() => 'confirmed', String);
  expect(outcome).toBe(isConfirmed ? 'confirmed' : 'ToolError: The user declined, so nothing was done. Do not try again unless they ask for it.');
  expect(context.asked).toMatchObject([{ params: { message: 'delete_file: d with 3 files is deleted.' } }]);
});

test('without a person to ask, the token of the first answer works once, whatever the order of the arguments', async () => {
  const confirmations = new Confirmations({ policy: 'auto' });
  const confirmToken = await tokenOf(confirmations);
  const again = { ...step, arguments: { recursive: true, path: 'd' }, confirmToken };
  await confirmations.confirm(cannotAsk, again);
  await expect(confirmations.confirm(cannotAsk, again)).rejects.toThrow(/used.*3 files/);
});

test('a token is bound to tool and arguments, and is spent by the wrong ones', async () => {
  const confirmations = new Confirmations({ policy: 'auto' });
  for (const other of [{ ...step, arguments: { path: 'e', recursive: true } }, { ...step, tool: 'move_file' }]) {
    const confirmToken = await tokenOf(confirmations);
    await expect(confirmations.confirm(cannotAsk, { ...other, confirmToken })).rejects.toThrow('another call');
    await expect(confirmations.confirm(cannotAsk, { ...step, confirmToken })).rejects.toThrow('unknown, used');
  }
});

test('no token takes the place of a person who can be asked', async () => {
  const confirmations = new Confirmations({ policy: 'auto' });
  const confirmToken = await tokenOf(confirmations);
  const context = createTestContext({ elicit: () => ({ action: 'decline' }) });
  await expect(confirmations.confirm(context, { ...step, confirmToken })).rejects.toThrow('declined');
  await expect(confirmations.confirm(context, { ...step, confirmToken: 'guessed' })).rejects.not.toThrow('confirmToken');
});

test('a token expires', async () => {
  let now = 0;
  const confirmations = new Confirmations({ policy: 'always', tokenTtlMs: 1000, now: () => now });
  const confirmToken = await tokenOf(confirmations);
  now = 1000;
  await expect(confirmations.confirm(cannotAsk, { ...step, confirmToken })).rejects.toThrow('expired');
});

test('nobody is asked when the policy is never', async () => {
  const context = createTestContext({ elicit: () => ({ action: 'decline' }) });
  await new Confirmations({ policy: 'never' }).confirm(context, step);
  expect(context.asked).toEqual([]);
});
