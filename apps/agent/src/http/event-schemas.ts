import * as z from 'zod';
import { SETTLED_STATUSES } from '../ports/store/run.ts';
import type { RunEventType } from '../run/core/events.ts';
import { Cursor } from './schemas.ts';

/** Types of the stored events. */
export const EVENT_TYPES = [
  'run.queued',
  'run.started',
  'run.input_required',
  'run.resumed',
  'run.cancelling',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.expired',
  'turn.started',
  'turn.completed',
  'turn.interrupted',
  'turn.output_rejected',
  'turn.failed',
  'turn.cancelled',
  'message.started',
  'message.completed',
  'tool_call.planned',
  'tool_call.approval_required',
  'tool_call.approved',
  'tool_call.dispatched',
  'tool_call.waiting',
  'tool_call.working',
  'tool_call.progress',
  'tool_call.input_required',
  'tool_call.resumed',
  'tool_call.retrying',
  'tool_call.completed',
  'tool_call.failed',
  'tool_call.cancelled',
  'tool_call.outcome_unknown',
  'inbox.opened',
  'inbox.answered',
  'inbox.delivered',
  'inbox.completed',
  'inbox.void',
  'inbox.expired',
  'limit.warning',
  'limit.exceeded',
  'usage.updated',
] as const satisfies readonly RunEventType[];

/** Type of the frames of a stream with a part of an unfinished message. */
export const DELTA_TYPE = 'message.delta';

export const EventsQuery = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Events with a greater seq; default 0, or the Last-Event-ID header'),
  cursor: Cursor,
  limit: z.coerce.number().int().min(1).max(1000).default(200).describe('For a JSON page'),
  types: z
    .string()
    .max(2000)
    .transform((list) => list.split(','))
    .pipe(z.array(z.enum([...EVENT_TYPES, DELTA_TYPE])))
    .optional()
    .describe(
      'Comma-separated types: only these events, and the event that ends the run; a stream has deltas only with `message.delta`',
    ),
});

export type EventFilter = (type: string) => boolean;

/** Returns whether a reader gets the events of a type, or the deltas. It always gets the event that ends the run. */
export function typeFilter(types: z.output<typeof EventsQuery>['types']): EventFilter | undefined {
  if (types === undefined) return undefined;
  const wanted = new Set<string>([...types, ...SETTLED_STATUSES.map((status) => `run.${status}`)]);
  return (type) => wanted.has(type);
}
