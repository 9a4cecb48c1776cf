import type { RunStatus } from '@signalbox/client';

/** Groups of states that the list can be limited to. */
export const STATUS_GROUPS: readonly {
  readonly id: string;
  readonly label: string;
  /** Empty: every state. */
  readonly statuses: readonly RunStatus[];
}[] = [
  { id: '', label: 'All', statuses: [] },
  {
    id: 'active',
    label: 'Active',
    statuses: ['queued', 'running', 'input_required', 'cancelling'],
  },
  { id: 'waiting', label: 'Needs input', statuses: ['input_required'] },
  { id: 'completed', label: 'Completed', statuses: ['completed'] },
  { id: 'failed', label: 'Failed', statuses: ['failed', 'expired'] },
  { id: 'cancelled', label: 'Cancelled', statuses: ['cancelled'] },
];

/** A search text in two parts, both of which the service compares. */
export interface Search {
  readonly metadata: { readonly [name: string]: string };
  /** Words separated by spaces; empty without a word. */
  readonly words: string;
}

const METADATA = /^([\w.-]{1,64})=(.+)$/;

/** Reads a search such as `refund team=support`. */
export function parseSearch(text: string): Search {
  const metadata: { [name: string]: string } = {};
  const words: string[] = [];
  for (const part of text.split(/\s+/).filter(Boolean)) {
    const [, name, value] = METADATA.exec(part) ?? [];
    if (name === undefined || value === undefined) words.push(part);
    else metadata[name] = value;
  }
  return { metadata, words: words.join(' ') };
}
