import { expect, expectTypeOf, test } from 'vitest';
import type * as z from 'zod';
import type { RunEventType, RunEventTypes } from '../run/core/events.ts';
import { EVENT_DATA, RunEvent } from './event-response-schemas.ts';
import { EVENT_TYPES } from './event-schemas.ts';
import { unnamedFields } from './testing/checked-serializer.ts';

type Described<T extends RunEventType> = z.output<(typeof EVENT_DATA)[T]>;
/**
 * Fields of an event that only the engine or only the schema has. `inbox.opened` has further fields
 * by kind.
 */
type FieldsOfOneSide = {
  [T in Exclude<RunEventType, 'inbox.opened'>]:
    | Exclude<keyof RunEventTypes[T], keyof Described<T>>
    | Exclude<keyof Described<T>, keyof RunEventTypes[T]>;
}[Exclude<RunEventType, 'inbox.opened'>];

test('every event of the engine is described, with the same fields', () => {
  expectTypeOf<keyof typeof EVENT_DATA>().toEqualTypeOf<RunEventType>();
  expect(Object.keys(EVENT_DATA)).toEqual(EVENT_TYPES);
  expectTypeOf<FieldsOfOneSide>().toBeNever();
});

test('an event with an unknown field or of an unknown type fails the check', () => {
  const event = {
    run_id: 'r',
    seq: 1,
    type: 'run.resumed',
    version: 1,
    at: '2026-01-01T00:00:00.000Z',
    data: { reason: 'inbox_closed' },
  };
  expect(unnamedFields(RunEvent, event)).toEqual([]);
  expect(unnamedFields(RunEvent, { ...event, data: { ...event.data, more: 1 } })).toEqual([
    '/data/more',
  ]);
  expect(RunEvent.safeParse({ ...event, type: 'run.unknown' }).success).toBe(false);
  expect(RunEvent.safeParse({ ...event, data: { reason: 'other' } }).success).toBe(false);
});
