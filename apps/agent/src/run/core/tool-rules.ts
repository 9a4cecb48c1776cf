import type { Run } from '../../ports/store/run.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import type { ToolDispatcher } from '../../ports/tool-dispatcher.ts';
import type { ApprovalRule, RequestedToolRules, ToolRules } from '../../ports/tool-rules.ts';
import { matchesPattern } from '../../text/name-patterns.ts';
import { mergeFields } from './merge-fields.ts';

/** Rules by their names in events and in the API. */
export type ToolRulesData = {
  tools?: { allow?: string[]; deny?: string[] };
  approvals?: { tools: string; policy: ApprovalRule['policy'] }[];
};

type RequestedData = {
  readonly tools?:
    | {
        readonly allow?: readonly string[] | null | undefined;
        readonly deny?: readonly string[] | null | undefined;
      }
    | null
    | undefined;
  readonly approvals?: readonly ApprovalRule[] | null | undefined;
};

/** Returns the rules of a request. */
export function requestedRules({ tools, approvals }: RequestedData): RequestedToolRules {
  const { allow, deny } = tools ?? (tools === null ? { allow: null, deny: null } : {});
  return {
    ...(allow === undefined ? {} : { allow }),
    ...(deny === undefined ? {} : { deny }),
    ...(approvals === undefined ? {} : { approvals }),
  };
}

/** Returns rules by their names in the API. */
export function toolRulesData({ allow, deny, approvals }: ToolRules = {}): ToolRulesData {
  const tools = {
    ...(allow === undefined ? {} : { allow: [...allow] }),
    ...(deny === undefined ? {} : { deny: [...deny] }),
  };
  return {
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    ...(approvals === undefined ? {} : { approvals: approvals.map((rule) => ({ ...rule })) }),
  };
}

/** Merges rules field by field; later ones take precedence, and null removes a field. */
export function mergeRules(
  ...layers: readonly (RequestedToolRules | undefined)[]
): ToolRules | undefined {
  return mergeFields<ToolRules>(layers);
}

/** Whether the rules of a run offer the tool. */
export function isOffered(
  { allow, deny = [] }: Pick<ToolRules, 'allow' | 'deny'> = {},
  wireName: string,
): boolean {
  const matches = (pattern: string): boolean => matchesPattern(wireName, pattern);
  return (allow === undefined || allow.some(matches)) && !deny.some(matches);
}

/** Returns the tools that a run may use at present. */
export function toolsOf(
  { dispatcher }: { readonly dispatcher: Pick<ToolDispatcher, 'tools'> },
  { servers, toolRules }: Pick<Run, 'servers' | 'toolRules'>,
): readonly CatalogueTool[] {
  const tools = dispatcher.tools(servers);
  return toolRules === undefined
    ? tools
    : tools.filter(({ wireName }) => isOffered(toolRules, wireName));
}
