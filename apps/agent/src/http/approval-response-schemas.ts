import * as z from 'zod';

export const Approval = z
  .object({
    id: z.string(),
    run_id: z.string().describe('Run of the approved call'),
    thread_id: z
      .string()
      .optional()
      .describe('Present if the approval is valid for all runs of the thread'),
    inbox_item_id: z.string(),
    server: z.string(),
    tool: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Approval' });

export const ApprovalList = z
  .object({ data: z.array(Approval), next_cursor: z.string().optional() })
  .meta({ id: 'ApprovalList' });
