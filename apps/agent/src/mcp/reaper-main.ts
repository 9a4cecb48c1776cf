import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { endMarked } from './marked-processes.ts';

/**
 * Helper process that ends the server processes left by the service. Reads `+GROUP` and `-GROUP`
 * lines. When its input ends, it waits half of `graceMs` (first argument) for the groups to end,
 * sends SIGTERM, and SIGKILL `graceMs` later. Then it ends every process with a mark of the second
 * argument.
 */
const graceMs = Number(process.argv[2]);
const poolId = process.argv[3] ?? '';
const POLL_MS = 50;
const groups = new Set<number>();

for await (const line of createInterface({ input: process.stdin })) {
  const group = Number(line.slice(1));
  // 0 and 1 would address this process's own group and all processes.
  if (!Number.isInteger(group) || group <= 1) continue;
  if (line.startsWith('+')) groups.add(group);
  else groups.delete(group);
}
await groupsEnd(graceMs / 2);
signalAll('SIGTERM');
await groupsEnd(graceMs);
signalAll('SIGKILL');
if (poolId !== '') await endMarked((mark) => mark.startsWith(`${poolId}.`), graceMs);

async function groupsEnd(limitMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += POLL_MS) {
    for (const group of groups) if (!signal(group, 0)) groups.delete(group);
    if (groups.size === 0) return;
    await delay(POLL_MS);
  }
}

function signalAll(name: 'SIGTERM' | 'SIGKILL'): void {
  for (const group of groups) signal(group, name);
}

function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    // The group has ended, or belongs to another user.
    return false;
  }
}
