import { useMemo, type ReactNode } from 'react';
import { Link } from '../../app/link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatDuration } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { useNow } from '../../ui/time.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import type { Entry, Span } from '../timeline/entries.ts';
import { waterfallOf, type Bar, type Waterfall } from './waterfall.ts';

const PHASES: readonly { readonly phase: Span['phase']; readonly label: string }[] = [
  { phase: 'model', label: 'Model' },
  { phase: 'running', label: 'Tools' },
  { phase: 'asking', label: 'Waiting for a person' },
  { phase: 'waiting', label: 'Waiting for a turn' },
];
const ROW_HEIGHT = 30;

interface WaterfallViewProps {
  readonly entries: readonly Entry[];
  readonly isRunning: boolean;
}

/** Where the time of a run went: a bar for each turn and call. */
export function WaterfallView({ entries, isRunning }: WaterfallViewProps): ReactNode {
  const now = useNow(isRunning ? 500 : 3_600_000);
  const waterfall = useMemo(() => waterfallOf(entries, now), [entries, now]);
  if (waterfall.bars.length === 0)
    return (
      <EmptyState title="Nothing has begun" icon="clock">
        <p>Turns and calls appear here with the time that they take.</p>
      </EmptyState>
    );
  return (
    <div className="waterfall">
      <Totals waterfall={waterfall} />
      <VirtualList
        label="Turns and calls with their times"
        items={waterfall.bars}
        keyOf={(bar) => bar.key}
        estimate={() => ROW_HEIGHT}
      >
        {(bar) => <BarRow bar={bar} waterfall={waterfall} />}
      </VirtualList>
    </div>
  );
}

function Totals({ waterfall }: { readonly waterfall: Waterfall }): ReactNode {
  return (
    <dl className="totals">
      <div>
        <dt>Whole run</dt>
        <dd>{formatDuration(waterfall.to - waterfall.from)}</dd>
      </div>
      {PHASES.map(({ phase, label }) => (
        <div key={phase}>
          <dt>
            <span className={`swatch ${phase}`} />
            {label}
          </dt>
          <dd>{formatDuration(waterfall.totals[phase])}</dd>
        </div>
      ))}
    </dl>
  );
}

function BarRow({
  bar,
  waterfall,
}: {
  readonly bar: Bar;
  readonly waterfall: Waterfall;
}): ReactNode {
  const whole = waterfall.to - waterfall.from;
  const percent = (ms: number): string => `${(ms / whole) * 100}%`;
  return (
    <Link className={`bar-row ${bar.kind}`} href={`${location.pathname}#event-${bar.seq}`}>
      <span className="bar-label">
        <PlainText text={bar.label} />
      </span>
      <span className="bar-track">
        {bar.spans.map((span) => (
          <span
            key={span.from}
            className={`bar-span ${span.phase}`}
            title={`${PHASES.find(({ phase }) => phase === span.phase)?.label}: ${formatDuration(span.to - span.from)}`}
            style={{
              insetInlineStart: percent(span.from - waterfall.from),
              width: percent(span.to - span.from),
            }}
          />
        ))}
      </span>
      <span className="numeric faint">{formatDuration(bar.to - bar.from)}</span>
    </Link>
  );
}
