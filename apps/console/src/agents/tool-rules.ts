import type { AgentDraft, ApprovalRule } from './agent-draft.ts';

/** The effect of an agent's rules on a tool. `policy`: that of the first rule that matches, if there is one. */
export interface ToolEffect {
  readonly isUsable: boolean;
  readonly policy: ApprovalRule['policy'] | undefined;
}

/** Returns the effect of the rules in the form on a tool. */
export function effectOn(
  { allow, deny, approvals }: Pick<AgentDraft, 'allow' | 'deny' | 'approvals'>,
  wireName: string,
): ToolEffect {
  const matches = (pattern: string): boolean => matchesPattern(wireName, pattern.trim());
  const allowed = allow.filter((pattern) => pattern.trim() !== '');
  return {
    isUsable: (allowed.length === 0 || allowed.some(matches)) && !deny.some(matches),
    policy: approvals.find(({ tools }) => matches(tools))?.policy,
  };
}

/** Returns patterns to suggest: for each server one that matches all of its tools, then each tool. */
export function suggestedPatterns(wireNames: readonly string[]): readonly string[] {
  const servers = new Set(wireNames.map((name) => name.slice(0, name.indexOf('__'))));
  return [...[...servers].map((server) => `${server}__*`), ...wireNames];
}

/** Whether a name matches a pattern in which `*` stands for any characters, as for the service. */
export function matchesPattern(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
