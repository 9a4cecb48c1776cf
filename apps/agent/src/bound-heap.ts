import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The flags that this module changes later than at the start, with V8's defaults. */
const DEFAULTS = { 'semi-space-growth-factor': 2, 'heap-growing-percent': 0 };
const changed = new Map<keyof typeof DEFAULTS, number>();

/**
 * Calls `work` while the flags that change in the course of a process have V8's defaults. `work` is synchronous.
 */
export function withFixedFlags<T>(work: () => T): T {
  for (const name of changed.keys()) setFlagsFromString(`--${name}=${DEFAULTS[name]}`);
  try {
    return work();
  } finally {
    for (const [name, value] of changed) setFlagsFromString(`--${name}=${value}`);
  }
}

function change(name: keyof typeof DEFAULTS, value: number): void {
  changed.set(name, value);
  setFlagsFromString(`--${name}=${value}`);
}

/**
 * Keeps V8's young generation at its first size for `startMs` milliseconds, and then lets it grow up
 * to `bytes`. Most objects of a start are never freed; for them it would grow to 30 MB and stay so.
 */
export function startWithSmallYoungGeneration({
  startMs,
  bytes,
}: {
  readonly startMs: number;
  readonly bytes: number;
}): void {
  change('semi-space-growth-factor', 1);
  setTimeout(() => {
    change('semi-space-growth-factor', 2);
    boundYoungGeneration(bytes);
  }, startMs).unref();
}

/**
 * Stops V8's young generation from growing once it has `bytes`. Under load it would grow to about 100 MB and never shrink, for no measurable gain in speed.
 */
export function boundYoungGeneration(bytes: number): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (young === undefined || young.space_size < bytes) return;
    change('semi-space-growth-factor', 1);
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/**
 * Makes V8 collect the old generation each time it has grown by `percent` since the last full collection. V8 alone lets garbage grow
 * fourfold, and on a machine with much memory to hundreds of megabytes before its first full collection. While the process is busy, V8 keeps the pages that a collection
 * frees: the largest heap that a process ever had stays resident.
 */
export function boundGarbage(percent: number): void {
  change('heap-growing-percent', percent);
}

/**
 * Makes V8 free the memory of a Maglev compilation as soon as it has ended. By default a thread in the
 * background does so later, and a service whose code becomes hot keeps 10 MB more for good.
 */
export function freeCompilationsAtOnce(): void {
  setFlagsFromString('--no-maglev-destroy-on-background');
}
