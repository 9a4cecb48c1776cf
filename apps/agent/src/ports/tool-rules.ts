export type ApprovalPolicy = 'auto' | 'ask' | 'deny';

/** Approval of the calls of some tools. */
export interface ApprovalRule {
  /** Pattern of tool names; `*` matches any sequence of characters. */
  readonly tools: string;
  readonly policy: ApprovalPolicy;
}

/** Tools that a run may use, by patterns of wire names, and the approval of their calls. */
export interface ToolRules {
  /** Tools that are offered. Default: all tools of the run's servers. */
  readonly allow?: readonly string[];
  /** Tools that are not offered, even if `allow` has them. */
  readonly deny?: readonly string[];
  /**
   * The first rule that matches applies, together with the policy of the server: the stricter of
   * the two decides.
   */
  readonly approvals?: readonly ApprovalRule[];
}

/** Rules of a request. Null removes an inherited value. */
export type RequestedToolRules = {
  readonly [Name in keyof ToolRules]?: ToolRules[Name] | null;
};
