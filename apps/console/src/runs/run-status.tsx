import type { RunStatus } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../ui/badge.tsx';

const LABELS: { readonly [status in RunStatus]: readonly [label: string, tone: Tone] } = {
  queued: ['Queued', 'neutral'],
  running: ['Running', 'busy'],
  input_required: ['Needs input', 'warn'],
  cancelling: ['Cancelling', 'warn'],
  completed: ['Completed', 'good'],
  failed: ['Failed', 'bad'],
  cancelled: ['Cancelled', 'neutral'],
  expired: ['Expired', 'bad'],
};
/** Every state, in the order of a run. */
export const STATUSES = Object.keys(LABELS) as readonly RunStatus[];

/** Returns the name of a state. */
export function statusLabel(status: RunStatus): string {
  return LABELS[status][0];
}

/** The state of a run. */
export function StatusBadge({ status }: { readonly status: RunStatus }): ReactNode {
  const [label, tone] = LABELS[status];
  return (
    <Badge tone={tone} isLive={status === 'running' || status === 'cancelling'}>
      {label}
    </Badge>
  );
}
