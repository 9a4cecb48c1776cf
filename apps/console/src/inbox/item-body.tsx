import type { InboxItem } from '@signalbox/client';
import type { ReactNode } from 'react';
import { JsonTree } from '../ui/json-tree.tsx';
import { ElicitationForm } from './kinds/elicitation-form.tsx';
import { ElicitationUrl } from './kinds/elicitation-url.tsx';
import { OutcomeUnknown } from './kinds/outcome-unknown.tsx';
import { SamplingApproval } from './kinds/sampling-approval.tsx';
import { SamplingReply } from './kinds/sampling-reply.tsx';
import { ServerLogin } from './kinds/server-login.tsx';
import { ToolApproval } from './kinds/tool-approval.tsx';

/** The request of an open item, with the answers to it. */
export function ItemBody({ item }: { readonly item: InboxItem }): ReactNode {
  switch (item.kind) {
    case 'tool_approval':
      return <ToolApproval item={item} />;
    case 'elicitation_form':
      return <ElicitationForm item={item} />;
    case 'elicitation_url':
      return <ElicitationUrl item={item} />;
    case 'sampling_approval':
      return <SamplingApproval item={item} />;
    case 'sampling_reply':
      return <SamplingReply item={item} />;
    case 'outcome_unknown':
      return <OutcomeUnknown item={item} />;
    case 'server_login':
      return <ServerLogin item={item} />;
    default:
      return <UnknownItem item={item} />;
  }
}

/** An item of a service that is newer than this page. */
function UnknownItem({ item }: { readonly item: { readonly request: unknown } }): ReactNode {
  return (
    <>
      <p>This page does not know this kind of request. Load the page again.</p>
      <JsonTree value={item.request} />
    </>
  );
}
