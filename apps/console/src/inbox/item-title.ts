import type { InboxItem } from '@signalbox/client';
import type { IconName } from '../ui/icon.tsx';
import { printable } from '../ui/printable.ts';

interface KindText {
  readonly label: string;
  readonly icon: IconName;
}

const KINDS: { readonly [kind: string]: KindText } = {
  tool_approval: { label: 'Approval', icon: 'approve' },
  elicitation_form: { label: 'Question', icon: 'message' },
  elicitation_url: { label: 'Page to open', icon: 'link' },
  sampling_approval: { label: 'Model call', icon: 'agents' },
  sampling_reply: { label: 'Reply', icon: 'message' },
  outcome_unknown: { label: 'Unknown outcome', icon: 'alert' },
  server_login: { label: 'Login', icon: 'approve' },
};

/** Returns the name and the icon of a kind of item, also of a kind that this console does not know. */
export function kindText(kind: string): KindText {
  return KINDS[kind] ?? { label: 'Request', icon: 'inbox' };
}

/** Returns what an item asks for, in a few words. */
export function itemTitle({ kind, request }: Pick<InboxItem, 'kind' | 'request'>): string {
  const server = printable(request.server);
  const tool = printable(request.tool ?? '');
  switch (kind as string) {
    case 'tool_approval':
      return `Call ${tool} of ${server}`;
    case 'elicitation_form':
      return `${server} asks a question`;
    case 'elicitation_url':
      return `${server} asks you to open a page`;
    case 'sampling_approval':
      return `${server} wants to use the model`;
    case 'sampling_reply':
      return `${server} gets a reply of the model`;
    case 'outcome_unknown':
      return `Did ${tool} of ${server} happen?`;
    case 'server_login':
      return `Log in to ${server}`;
    default:
      return `${server} waits for you`;
  }
}
