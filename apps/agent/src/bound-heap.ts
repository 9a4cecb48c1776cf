import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Stops V8's young generation from growing once it has `bytes`. Under load it would grow to about 100 MB and never shrink, for no measurable gain in speed.
 */
export function boundYoungGeneration(bytes: number): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (young === undefined || young.space_size < bytes) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/**
 * Makes V8 collect the old generation each time it has grown by `percent` since the last full collection. V8 alone lets it grow fourfold, and while the process is busy
 * it keeps the pages that a collection frees: the largest heap that a process ever had stays resident.
 */
export function boundGarbage(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/**
 * Collects the heap once, `delayMs` from now. Before its first full collection V8 lets garbage grow to hundreds of megabytes on a machine with much memory;
 * after it, in proportion to what is in use.
 */
export function collectHeapOnce(delayMs: number): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
  }, delayMs).unref();
}
