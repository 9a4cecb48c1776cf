import type { Server } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../ui/badge.tsx';

const STATES: { readonly [state in Server['state']]: readonly [label: string, tone: Tone] } = {
  connecting: ['Connecting', 'busy'],
  ready: ['Ready', 'good'],
  needs_login: ['Needs a login', 'warn'],
  failed: ['Failed', 'bad'],
  draining: ['Draining', 'warn'],
  drained: ['Drained', 'neutral'],
  closed: ['Closed', 'neutral'],
  invalid: ['Invalid configuration', 'bad'],
};

/** The state of a server, and whether it is ready but impaired. */
export function ServerState({
  server: { state, health, breaker },
}: {
  readonly server: Pick<Server, 'state' | 'health' | 'breaker'>;
}): ReactNode {
  const [label, tone] = STATES[state];
  return (
    <span className="badges">
      <Badge tone={tone} isLive={state === 'connecting' || state === 'draining'}>
        {label}
      </Badge>
      {state === 'ready' && health === 'degraded' && <Badge tone="warn">Degraded</Badge>}
      {breaker !== 'closed' && (
        <Badge tone="bad">{breaker === 'open' ? 'Calls are blocked' : 'Trying one call'}</Badge>
      )}
    </span>
  );
}
