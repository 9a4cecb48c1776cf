import { matchesPattern } from '../../text/name-patterns.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import type { ApprovalPolicy, ServerPolicy } from '../core/server-policy.ts';

/** Returns whether calls of the tool are made, need approval, or are denied. */
export function approvalPolicy(
  { approval, approvals = [] }: Pick<ServerPolicy, 'approval' | 'approvals'>,
  tool: Pick<CatalogueTool, 'name' | 'trusted' | 'annotations'>,
): ApprovalPolicy {
  const rule = approvals.find(({ tools }) => matchesPattern(tool.name, tools));
  if (rule !== undefined) return rule.policy;
  if (approval !== 'default') return approval;
  // Hints count only from a trusted server.
  return tool.trusted && tool.annotations.readOnlyHint === true ? 'auto' : 'ask';
}
