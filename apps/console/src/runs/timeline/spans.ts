import type { Span } from './entries.ts';

/** Returns the spans with a new one from a time on, which ends the last one. The phase of the last one continues it. */
export function enter(spans: readonly Span[], phase: Span['phase'], at: number): readonly Span[] {
  const last = spans.at(-1);
  if (last?.phase === phase && last.to === undefined) return spans;
  return [...leave(spans, at), { phase, from: at }];
}

/** Returns the spans, of which the last one ends at a time. */
export function leave(spans: readonly Span[], at: number): readonly Span[] {
  const last = spans.at(-1);
  return last === undefined || last.to !== undefined
    ? spans
    : spans.with(spans.length - 1, { ...last, to: Math.max(at, last.from) });
}
