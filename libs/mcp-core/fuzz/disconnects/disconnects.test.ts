import { afterEach, expect, test, vi } from 'vitest';
import { Changes } from '../../src/server/subscriptions/change-hub.ts';
import { fuzzDisconnects } from './fuzz-disconnects.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('nothing stays attached, running or counted after clients left, or the handler was closed, at some turns of every scenario', async () => {
  const reports: string[] = [];
  const report = (line: string): void => void reports.push(line);
  await fuzzDisconnects({ messages: 1000, seed: 7, stride: 211, report });
  expect(reports).toEqual([
    expect.stringContaining('departures at some turns'),
    expect.stringContaining('departures at random turns'),
  ]);
});

test('a listener that stays attached is detected', async () => {
  vi.spyOn(Changes.prototype, 'remove').mockReturnValue();
  await expect(
    fuzzDisconnects({ messages: 0, seed: 7, stride: 211, report: () => undefined }),
  ).rejects.toThrow(/change listeners: \d/u);
});
