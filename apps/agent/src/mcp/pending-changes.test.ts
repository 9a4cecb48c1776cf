import { expect, test } from 'vitest';
import type { FollowedChange } from '../ports/server-directory.ts';
import { PendingChanges } from './pending-changes.ts';

async function readAll(pending: PendingChanges): Promise<readonly FollowedChange[]> {
  pending.end();
  const read: FollowedChange[] = [];
  for await (const change of pending.read()) read.push(change);
  return read;
}

test('a pending change is held once, and again after it was read', async () => {
  const pending = new PendingChanges();
  const reader = pending.read();
  const first = reader.next();
  for (let time = 0; time < 3; time++) pending.add({ kind: 'tools' });
  expect(await first).toEqual({ done: false, value: { kind: 'tools' } });
  for (const part of ['', '/x', '']) pending.add({ kind: 'resource', uri: `file:///a${part}` });
  pending.add({ kind: 'tools' });
  expect(await readAll(pending)).toEqual([
    { kind: 'resource', uri: 'file:///a' },
    { kind: 'resource', uri: 'file:///a/x' },
    { kind: 'tools' },
  ]);
});

test('too many pending changes become one', async () => {
  const pending = new PendingChanges();
  for (let part = 0; part < 5000; part++)
    pending.add({ kind: 'resource', uri: `file:///a/${String(part)}` });
  pending.add({ kind: 'tools' });
  expect(await readAll(pending)).toEqual([{ kind: 'missed' }]);
});

test('nothing is read after the changes were discarded', async () => {
  const pending = new PendingChanges();
  pending.add({ kind: 'tools' });
  pending.discard();
  pending.add({ kind: 'prompts' });
  pending.miss();
  expect(await readAll(pending)).toEqual([]);
});
