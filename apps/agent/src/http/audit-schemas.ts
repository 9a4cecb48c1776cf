import * as z from 'zod';
import { Cursor } from './schemas.ts';

export const AuditQuery = z.strictObject({
  run_id: z.string().min(1).max(100).optional(),
  cursor: Cursor,
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
