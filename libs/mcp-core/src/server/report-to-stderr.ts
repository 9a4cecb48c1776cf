import { inspect } from 'node:util';

/** Writes one line. */
export function reportToStderr(error: unknown): void {
  process.stderr.write(`${inspect(error, { breakLength: Infinity }).replaceAll(/\s*\n\s*/gu, ' | ')}\n`);
}
