import { expect, test } from 'vitest';
import { InvalidCronError, nextTime } from './next-time.ts';

/** Returns the next times of an expression after a time. */
async function times(cron: string, timeZone: string, after: string, count = 2) {
  const found: string[] = [];
  for (let at: number | undefined = Date.parse(after); found.length < count;) {
    at = await nextTime({ cron, timeZone }, at);
    if (at === undefined) break;
    found.push(new Date(at).toISOString());
  }
  return found;
}

test('times are those of the time zone, also when its clocks change', async () => {
  expect(await times('0 9 * * MON-FRI', 'Europe/Berlin', '2026-03-27T07:00:00Z')).toEqual([
    '2026-03-27T08:00:00.000Z',
    '2026-03-30T07:00:00.000Z',
  ]);
  // 02:30 does not exist on 29 March, and exists twice on 25 October.
  expect(await times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z')).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
  expect(await times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z')).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
  expect(await times('@daily', 'UTC', '2026-01-01T00:00:00Z')).toEqual([
    '2026-01-02T00:00:00.000Z',
    '2026-01-03T00:00:00.000Z',
  ]);
});

test('lists of times are moved and counted once, too', async () => {
  expect(await times('30 2,14 * * *', 'Europe/Berlin', '2026-03-28T22:00:00Z')).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T12:30:00.000Z',
  ]);
  expect(await times('30 2,14 * * *', 'Europe/Berlin', '2026-10-24T22:00:00Z')).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T13:30:00.000Z',
  ]);
  // These clocks change by half an hour: 01:45 exists twice.
  expect(await times('15,45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T14:00:00Z', 3)).toEqual([
    '2026-04-04T14:15:00.000Z',
    '2026-04-04T14:45:00.000Z',
    '2026-04-05T14:45:00.000Z',
  ]);
});

test('with a wildcard or a step, missing times are skipped and repeated times count twice', async () => {
  expect(await times('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:30:00Z')).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T01:30:00.000Z',
  ]);
  expect(await times('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 3)).toEqual([
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T01:00:00.000Z',
    '2026-10-25T02:00:00.000Z',
  ]);
});

test('an expression without further times has none', async () => {
  expect(await times('0 0 30 2 *', 'UTC', '2026-01-01T00:00:00Z')).toEqual([]);
});

test.each([
  ['every day', 'UTC', 'cron'],
  ['* * * * * *', 'UTC', 'cron'],
  ['99 * * * *', 'UTC', 'cron'],
  ['2026-05-01T00:00:00', 'UTC', 'cron'],
  ['* * * * *', 'Europe/Nowhere', 'time_zone'],
  ['* * * * *', '+02:00', 'time_zone'],
  ['* * * * *', '', 'time_zone'],
])('%s in %s is refused', async (cron, timeZone, field) => {
  const error: unknown = await nextTime({ cron, timeZone }, 0).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidCronError);
  expect(error).toMatchObject({ field });
});
