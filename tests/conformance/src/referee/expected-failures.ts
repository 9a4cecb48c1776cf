import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '../../../peers/src/official-referee.ts';
import type { Leg } from './requirement-set.ts';

/** Passed to the referee, which fails when a listed scenario passes. */
export const expectedFailuresFile = join(import.meta.dirname, '..', '..', 'expected-failures.yaml');

export function readExpectedFailures(leg: Leg): readonly string[] {
  const file = parseYaml(readFileSync(expectedFailuresFile, 'utf8')) as
    | { readonly [section in Leg]?: readonly string[] }
    | null;
  return file?.[leg] ?? [];
}
