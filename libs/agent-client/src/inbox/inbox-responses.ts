import type { InboxItem } from '../api-types.ts';

/** Responses to each kind of inbox item. */
export interface InboxResponses {
  /** `arguments` replace those of the model. `remember` approves later calls of the same tool as well; default: `call`, this call only. */
  readonly tool_approval:
    | {
        readonly action: 'approve';
        readonly arguments?: Record<string, unknown>;
        readonly remember?: 'call' | 'run' | 'thread';
      }
    | { readonly action: 'deny' };
  /** A field that `content` leaves out takes its default. */
  readonly elicitation_form:
    | { readonly action: 'accept'; readonly content: Record<string, unknown> }
    | { readonly action: 'decline' | 'cancel' };
  readonly elicitation_url: { readonly action: 'accept' | 'decline' | 'cancel' };
  /** `content` replaces parts of the request. */
  readonly sampling_approval:
    | {
        readonly action: 'approve';
        readonly content?: {
          readonly messages?: readonly Record<string, unknown>[];
          readonly system_prompt?: string;
          readonly max_tokens?: number;
        };
      }
    | { readonly action: 'deny' };
  /** `content` replaces the reply of the model. */
  readonly sampling_reply:
    | { readonly action: 'approve'; readonly content?: { readonly text: string } }
    | { readonly action: 'deny' };
  readonly outcome_unknown: { readonly action: 'retry' | 'mark_done' | 'fail' };
  readonly server_login: { readonly action: 'retry' | 'decline' };
}

/** Response to an inbox item of a kind. `note` is a text of at most 2,000 characters for the model, about a denied call or a decided outcome. */
export type ResponseTo<Kind extends InboxItem['kind']> = InboxResponses[Kind] & {
  readonly note?: string;
};
