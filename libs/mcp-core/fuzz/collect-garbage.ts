import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Runs a full garbage collection. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    // The flag makes the function visible in later contexts.
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
