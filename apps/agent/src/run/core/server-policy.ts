export type ApprovalPolicy = 'auto' | 'ask' | 'deny';

/** Approval of the calls of some tools of a server. */
export interface ApprovalRule {
  /** Pattern of the server's tool names; `*` matches any sequence of characters. */
  readonly tools: string;
  readonly policy: ApprovalPolicy;
}

/** Actions that a server's tools and input requests may take without a person. */
export interface ServerPolicy {
  /** For tools without a rule. `default`: read-only tools of a trusted server run, all others ask. */
  readonly approval: 'default' | ApprovalPolicy;
  /** Rules by tool name; the first that matches applies. */
  readonly approvals?: readonly ApprovalRule[];
  readonly sampling: ApprovalPolicy;
  /** Whether a person sees each message of the model before the server does. */
  readonly samplingReview?: boolean;
  /** Identifies how the server is started: it changes with the program, its environment or the address. */
  readonly launchDigest?: string;
}
