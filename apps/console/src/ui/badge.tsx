import type { ReactNode } from 'react';

/** Meaning of the color of a badge. */
export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'busy' | 'accent';

interface BadgeProps {
  readonly children: ReactNode;
  /** Default: `neutral`. */
  readonly tone?: Tone;
  /** Whether the badge has a dot that pulses. Default: no. */
  readonly isLive?: boolean;
}

/** A short state. Its text carries the meaning; the color repeats it. */
export function Badge({ children, tone = 'neutral', isLive = false }: BadgeProps): ReactNode {
  return <span className={`badge ${tone}${isLive ? ' live' : ''}`}>{children}</span>;
}
