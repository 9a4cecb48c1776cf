import * as z from 'zod';
import { Cursor } from './schemas.ts';

/** Intervals of one answer. */
export const MAX_INTERVALS = 1000;

export const StatsQuery = z.strictObject({
  from: z.iso.datetime({ offset: true }).optional().describe('Default: 24 hours before `to`'),
  to: z.iso.datetime({ offset: true }).optional().describe('Exclusive; default: now'),
  interval: z.coerce
    .number()
    .int()
    .min(1)
    .max(366 * 24 * 3600)
    .default(3600)
    .describe(`Seconds of one entry; at most ${MAX_INTERVALS} fit between \`from\` and \`to\``),
  kind: z.enum(['agent', 'call']).optional(),
});

export const WorkerQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: Cursor,
});
