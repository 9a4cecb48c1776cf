import { z } from 'zod';
import { json, time } from './schemas.ts';

export const InboxItem = z
  .object({
    id: z.string(),
    run_id: z.string(),
    call_id: z.string().optional(),
    kind: z.enum(['tool_approval', 'elicitation_form', 'elicitation_url', 'sampling_approval', 'sampling_reply', 'outcome_unknown']),
    state: z.enum(['open', 'answered', 'delivered', 'void', 'expired']),
    request: json.describe('What is asked; its shape depends on the kind'),
    response: json.optional(),
    created_at: time,
    expires_at: time,
    answered_at: time.optional(),
  })
  .meta({ id: 'InboxItem' });

export const InboxResponse = z
  .strictObject({
    action: z
      .enum(['approve', 'deny', 'accept', 'decline', 'cancel', 'retry', 'mark_done', 'fail'])
      .describe(
        'tool_approval, sampling_approval and sampling_reply: approve or deny; elicitation_form and elicitation_url: accept, decline or cancel; outcome_unknown: retry, mark_done or fail',
      ),
    content: json.optional().describe('The answers of an accepted elicitation form; of an approved sampling request or reply the changed system_prompt, messages, max_tokens, or text'),
    arguments: json.optional().describe('Of an approved tool call: what it is to be made with instead'),
    remember: z.enum(['call', 'run', 'thread']).optional().describe('Of an approved tool call: whether later calls of the same tool are approved, too, whatever their arguments; default call, which is no'),
    note: z.string().max(2000).optional().describe('Told to the model with a denied call or a settled unknown outcome'),
  })
  .meta({ id: 'InboxResponse' });

export const InboxList = z.object({ data: z.array(InboxItem) }).meta({ id: 'InboxList' });

export const InboxQuery = z.strictObject({
  run_id: z.string().min(1).max(100).optional(),
  state: z.enum(['open', 'answered', 'delivered', 'void', 'expired']).optional(),
});
