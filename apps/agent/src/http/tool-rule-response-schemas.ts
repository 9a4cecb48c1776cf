import * as z from 'zod';
import { ALLOW, DENY, TOOLS, APPROVALS, ApprovalRule } from './tool-rule-schemas.ts';

export const UsableTools = z
  .object({
    allow: z.array(z.string()).optional().describe(ALLOW),
    deny: z.array(z.string()).optional().describe(DENY),
  })
  .meta({ id: 'UsableTools' });

/** Tool rules in responses. */
export const setToolRules = {
  tools: UsableTools.optional().describe(TOOLS),
  approvals: z.array(ApprovalRule).optional().describe(APPROVALS),
};
