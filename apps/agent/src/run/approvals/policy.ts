import { matchesPattern } from '../../text/name-patterns.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import type { ApprovalPolicy, ApprovalRule, ToolRules } from '../../ports/tool-rules.ts';
import type { ServerPolicy } from '../core/server-policy.ts';
import { isOffered } from '../core/tool-rules.ts';

/** Returns whether the configuration lets calls of the tool be made, asks for approval, or denies. */
export function approvalPolicy(
  { approval, approvals = [] }: Pick<ServerPolicy, 'approval' | 'approvals'>,
  tool: Pick<CatalogueTool, 'name' | 'trusted' | 'annotations'>,
): ApprovalPolicy {
  const rule = firstMatch(approvals, tool.name);
  if (rule !== undefined) return rule.policy;
  if (approval !== 'default') return approval;
  // Hints count only from a trusted server.
  return tool.trusted && tool.annotations.readOnlyHint === true ? 'auto' : 'ask';
}

/** Returns the policy of the rules of a run for a tool. Without a matching rule it is `auto`. */
export function rulesPolicy(rules: ToolRules | undefined, wireName: string): ApprovalPolicy {
  if (!isOffered(rules, wireName)) return 'deny';
  return firstMatch(rules?.approvals ?? [], wireName)?.policy ?? 'auto';
}

const STRICTNESS: { readonly [Policy in ApprovalPolicy]: number } = { auto: 0, ask: 1, deny: 2 };

/** Returns the stricter of two policies, so that neither undoes an `ask` or a `deny` of the other. */
export function stricter(one: ApprovalPolicy, other: ApprovalPolicy): ApprovalPolicy {
  return STRICTNESS[one] >= STRICTNESS[other] ? one : other;
}

function firstMatch(rules: readonly ApprovalRule[], name: string): ApprovalRule | undefined {
  return rules.find(({ tools }) => matchesPattern(name, tools));
}
