import type { Gap } from './coverage.ts';
import type { RequirementId } from './index.ts';

interface KnownGap extends Gap {
  readonly requirements: readonly RequirementId[];
}

/** Rules of level MUST without a proof, each with the reason. A proved rule must leave the list. */
export const unproved: readonly KnownGap[] = [];
