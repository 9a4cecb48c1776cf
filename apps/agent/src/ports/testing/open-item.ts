import type { InboxItem } from '../store/inbox.ts';

/** Returns an open approval item of run `r1`. */
export function openItem(id: string): InboxItem {
  return {
    id,
    runId: 'r1',
    callId: undefined,
    kind: 'tool_approval',
    state: 'open',
    request: { q: 1 },
    response: undefined,
    owner: undefined,
    questionKey: undefined,
    binding: undefined,
    createdAt: 1,
    expiresAt: 2,
    answeredAt: undefined,
  };
}
