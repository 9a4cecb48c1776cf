import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml, refereeRequirements } from '../../../peers/src/official-referee.ts';

/** Revisions whose requirements the referee has. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

/** The tested side. */
export type Leg = 'server' | 'client';

/** Names of the scenarios of one leg, as listed in the referee's file of the revision. */
export interface RequirementSet {
  readonly scored: readonly string[];
  /** Run and reported, without effect on the score. */
  readonly unscored: readonly string[];
}

interface RequirementsFile {
  readonly server: readonly string[];
  readonly client: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: Leg }[];
}

export function readRequirementSet(revision: Revision, leg: Leg): RequirementSet {
  // The referee checks its own files.
  const file = parseYaml(
    readFileSync(join(refereeRequirements, `${revision}.yaml`), 'utf8'),
  ) as RequirementsFile;
  return {
    scored: file[leg],
    unscored: file.not_scored.filter((each) => each.leg === leg).map(({ scenario }) => scenario),
  };
}
