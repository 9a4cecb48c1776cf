import { matchesPattern } from '../../name-patterns.ts';
import type { CatalogueTool } from '../../ports/tool-registry.ts';

export type ApprovalPolicy = 'auto' | 'ask' | 'deny';

export interface ApprovalRule {
  /** Pattern of the server's tool names; `*` matches any run of characters. */
  readonly tools: string;
  readonly policy: ApprovalPolicy;
}

/** What is configured about the calls of one server's tools. */
export interface ApprovalSettings {
  /** For tools that no rule is about. `default`: read-only tools of a trusted server run, all others ask. */
  readonly approval: 'default' | ApprovalPolicy;
  /** The first that matches counts. */
  readonly approvals?: readonly ApprovalRule[];
}

/** Whether calls of the tool are made, asked about, or refused. */
export function approvalPolicy(
  { approval, approvals = [] }: ApprovalSettings,
  tool: Pick<CatalogueTool, 'name' | 'trusted' | 'annotations'>,
): ApprovalPolicy {
  const rule = approvals.find(({ tools }) => matchesPattern(tool.name, tools));
  if (rule !== undefined) return rule.policy;
  if (approval !== 'default') return approval;
  // Hints of a server that is not trusted say nothing.
  return tool.trusted && tool.annotations.readOnlyHint === true ? 'auto' : 'ask';
}
