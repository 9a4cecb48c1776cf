import type { CallEntry, Entry, Span, TurnEntry } from '../timeline/entries.ts';

/** A bar of the waterfall, with the time that it spent in each phase. */
export interface Bar {
  readonly key: string;
  readonly seq: number;
  readonly kind: 'turn' | 'call';
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly spans: readonly Required<Span>[];
}

/** Where the time of a run went. */
export interface Waterfall {
  readonly from: number;
  readonly to: number;
  readonly bars: readonly Bar[];
  /** Milliseconds in which at least one bar was in the phase. Phases of different bars overlap. */
  readonly totals: { readonly [phase in Span['phase']]: number };
}

/** Returns the waterfall of the rows of a run. @param now - End of the bars that have not ended. */
export function waterfallOf(entries: readonly Entry[], now: number): Waterfall {
  const timed = entries.filter((entry) => entry.kind === 'turn' || entry.kind === 'call');
  const end = entries.findLast((entry) => entry.kind === 'end');
  const limit = end === undefined ? now : Date.parse(end.at);
  const bars = timed.flatMap((entry) => barOf(entry, limit) ?? []);
  const first = entries[0];
  const from = first === undefined ? limit : Date.parse(first.at);
  const spans = bars.flatMap((bar) => bar.spans);
  const total = (phase: Span['phase']): number =>
    unionLength(spans.filter((span) => span.phase === phase));
  return {
    from,
    to: Math.max(from + 1, ...bars.map((bar) => bar.to)),
    bars,
    totals: {
      model: total('model'),
      running: total('running'),
      waiting: total('waiting'),
      asking: total('asking'),
    },
  };
}

function barOf(entry: TurnEntry | CallEntry, limit: number): Bar | undefined {
  const spans = entry.spans.map((span) => ({
    ...span,
    to: Math.max(span.from, span.to ?? limit),
  }));
  const [first] = spans;
  const last = spans.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return {
    key: entry.key,
    seq: entry.seq,
    kind: entry.kind,
    label: entry.kind === 'turn' ? `Turn ${entry.turn}` : entry.planned.name,
    from: first.from,
    to: last.to,
    spans,
  };
}

/** Returns the length of the time that at least one of the spans covers. */
function unionLength(spans: readonly Required<Span>[]): number {
  let length = 0;
  let covered = -Infinity;
  for (const { from, to } of spans.toSorted((left, right) => left.from - right.from)) {
    length += Math.max(0, to - Math.max(from, covered));
    covered = Math.max(covered, to);
  }
  return length;
}
