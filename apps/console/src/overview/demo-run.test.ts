import type { Run } from '@signalbox/client';
import { expect, test } from 'vitest';
import { stepsOf, type Demo } from './demo-run.ts';

const run = (status: Run['status'], more: object = {}): Run =>
  ({ id: 'r', status, inbox: [], ...more }) as unknown as Run;
const FAILED = { id: 'c', seq: 7, message: 'no such column: price' };
const NOTHING: Demo = { run: undefined, failedCall: undefined, repetition: undefined };

const currentOf = (demo: Demo) => stepsOf(demo).find(({ isCurrent }) => isCurrent);

test('the demo begins with its start', () => {
  expect(currentOf(NOTHING)).toMatchObject({ id: 'start', isDone: false });
  expect(stepsOf(NOTHING).filter(({ link }) => link !== undefined)).toEqual([]);
});

test('a run that asks leads to its question', () => {
  expect(currentOf({ ...NOTHING, run: run('running') })).toMatchObject({
    id: 'answer',
    link: { label: 'Open the run' },
  });
  const asking = run('input_required', { inbox: [{ id: 'i' }] });
  expect(currentOf({ ...NOTHING, run: asking })?.link).toEqual({
    href: '/runs/r',
    label: 'Answer the question',
  });
});

test('a settled run leads to the event of its failed call, with the message', () => {
  expect(currentOf({ ...NOTHING, run: run('completed'), failedCall: FAILED })).toMatchObject({
    id: 'explain',
    quote: 'no such column: price',
    link: { href: '/runs/r#event-7' },
  });
});

test('a repetition that fails again is the last step, and one that succeeds ends the demo', () => {
  const demo = { ...NOTHING, run: run('completed'), failedCall: FAILED };
  expect(currentOf({ ...demo, repetition: run('failed') })).toMatchObject({ id: 'repeat' });
  const over = stepsOf({ ...demo, repetition: { ...run('completed'), id: 'again' } });
  expect(over.every(({ isDone }) => isDone)).toBe(true);
  expect(over.at(-1)?.link?.href).toBe('/runs/again');
});
