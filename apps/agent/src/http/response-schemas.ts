import * as z from 'zod';
import { PROBLEM_CODES } from './problem.ts';

export const time = z.iso.datetime().describe('UTC, ISO 8601');

export const ProblemDetails = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(PROBLEM_CODES),
    retryable: z.boolean().describe('Whether the same request can succeed later'),
    request_id: z.string(),
    errors: z
      .array(
        z.object({
          path: z
            .string()
            .describe('JSON pointer into the request: /body/…, /query/…, /path/… or /header/…'),
          message: z.string(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'ProblemDetails' });

export const Health = z
  .object({
    status: z.literal('ok'),
    version: z.string().optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
    scripted: z.boolean().optional(),
    notice: z.string().optional(),
  })
  .meta({ id: 'Health' });

export const Readiness = z
  .object({
    status: z.literal('ready'),
    redis: z
      .enum(['ready', 'unreachable'])
      .optional()
      .meta({ description: 'Set with REDIS_URL. Without Redis, new jobs wait in the store' }),
  })
  .meta({ id: 'Readiness' });

export const METRICS = {
  description: 'The text format of Prometheus',
  content: { 'text/plain': { schema: z.string() } },
};
