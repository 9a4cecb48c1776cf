import { useEffect, useState, type ReactNode } from 'react';
import { serviceNow } from '../../app/service-clock.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Time } from '../../ui/time.tsx';
import type { Span } from './entries.ts';

interface EventPlaceProps {
  readonly seq: number;
  readonly at: string;
}

/** Time of an event, and a button that copies the address of the event. */
export function EventPlace({ seq, at }: EventPlaceProps): ReactNode {
  return (
    <span className="event-place">
      <Time at={at} form="clock" />
      <CopyButton label={`Copy link to event ${seq}`} text={() => linkTo(seq)} isIcon icon="link" />
    </span>
  );
}

/** Returns the address of an event of the run that is shown. */
export function linkTo(seq: number): string {
  return `${location.origin}${location.pathname}#event-${seq}`;
}

/** Returns the number of the event that the hash of an address names. */
export function eventIn(hash: string): number | undefined {
  const seq = /^#event-(\d{1,15})$/.exec(hash)?.[1];
  return seq === undefined ? undefined : Number(seq);
}

const TICK_MS = 200;

/** Returns the milliseconds of spans, and renders again while the last one has no end. */
export function useElapsed(spans: readonly Span[], phases: readonly Span['phase'][]): number {
  const isOpen = spans.at(-1)?.to === undefined && spans.length > 0;
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => setNow(serviceNow()), TICK_MS);
    return () => clearInterval(timer);
  }, [isOpen]);
  return spans
    .filter(({ phase }) => phases.includes(phase))
    .reduce((sum, { from, to }) => sum + Math.max(0, (to ?? now) - from), 0);
}
