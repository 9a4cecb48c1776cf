import * as z from 'zod';

const MAX_PATTERNS = 100;

const pattern = z
  .string()
  .min(1)
  .max(100)
  .regex(/__|\*/, 'must be a wire name such as server__tool, or contain *')
  .describe('A wire name `server__tool`, in which `*` matches any characters');
const patterns = z.array(pattern).min(1).max(MAX_PATTERNS);

export const ALLOW = 'Tools that the model may use; default: all tools of the servers';
export const DENY = 'Tools that the model may not use, even if `allow` has them';
export const TOOLS =
  'Tools that the model may use, by wire name. Other tools are not offered, and a call of one fails';
export const APPROVALS =
  'Approval of calls by wire name; the first rule that matches applies. The stricter of it and the policy of the server decides, so `auto` never undoes an `ask` or a `deny` of the configuration';

export const ApprovalRule = z
  .strictObject({ tools: pattern, policy: z.enum(['auto', 'ask', 'deny']) })
  .meta({ id: 'ApprovalRule' });

export const RequestedTools = z
  .strictObject({
    allow: patterns.nullable().optional().describe(`${ALLOW}; null instead of an inherited value`),
    deny: patterns.nullable().optional().describe(`${DENY}; null instead of an inherited value`),
  })
  .meta({ id: 'RequestedTools' });

/** Tool rules in requests. */
export const requestedToolRules = {
  tools: RequestedTools.nullable()
    .optional()
    .describe(`${TOOLS}; null instead of inherited values`),
  approvals: z
    .array(ApprovalRule)
    .min(1)
    .max(MAX_PATTERNS)
    .nullable()
    .optional()
    .describe(`${APPROVALS}; null instead of an inherited value`),
};
