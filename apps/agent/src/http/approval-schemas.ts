import * as z from 'zod';
import { ListQuery } from './schemas.ts';

export const ApprovalQuery = ListQuery.extend({ run_id: z.string().min(1).max(100).optional() });
