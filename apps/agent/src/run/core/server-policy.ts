import type { ApprovalPolicy, ApprovalRule } from '../../ports/tool-rules.ts';

/** Actions that a server's tools and input requests may take without a person. */
export interface ServerPolicy {
  /** For tools without a rule. `default`: read-only tools of a trusted server run, all others ask. */
  readonly approval: 'default' | ApprovalPolicy;
  /** Rules by the server's own names of its tools; the first that matches applies. */
  readonly approvals?: readonly ApprovalRule[];
  readonly sampling: ApprovalPolicy;
  /** Whether a person sees each message of the model before the server does. */
  readonly samplingReview?: boolean;
  /** Identifies how the server is started: it changes with the program, its environment or the address. */
  readonly launchDigest?: string;
}
