import * as z from 'zod';
import { INBOX_STATES } from '../ports/store/inbox.ts';
import { json, ListQuery } from './schemas.ts';

export const InboxState = z.enum(INBOX_STATES);
export const InboxAction = z.enum([
  'approve',
  'deny',
  'accept',
  'decline',
  'cancel',
  'retry',
  'mark_done',
  'fail',
]);
export const Remember = z.enum(['call', 'run', 'thread']);

export const InboxResponse = z
  .strictObject({
    action: InboxAction.describe(
      'tool_approval, sampling_approval and sampling_reply: approve or deny; elicitation_form and elicitation_url: accept, decline or cancel; outcome_unknown: retry, mark_done or fail; server_login: retry or decline',
    ),
    content: json
      .optional()
      .describe(
        'The fields of an accepted elicitation form; or, of an approved sampling request or reply, the changed system_prompt, messages, max_tokens, or text',
      ),
    arguments: json
      .optional()
      .describe('For an approved tool call: arguments that replace those of the model'),
    remember: Remember.optional().describe(
      'For an approved tool call: the scope in which later calls of the same tool are approved, with any arguments; default call (this call only)',
    ),
    note: z
      .string()
      .max(2000)
      .optional()
      .describe('Note to the model about a denied call or a settled unknown outcome'),
  })
  .meta({
    id: 'InboxResponse',
    examples: [
      { action: 'approve', remember: 'run' },
      { action: 'accept', content: { name: 'Ada' } },
    ],
  });

export const InboxQuery = ListQuery.extend({
  run_id: z.string().min(1).max(100).optional(),
  state: InboxState.optional(),
});
