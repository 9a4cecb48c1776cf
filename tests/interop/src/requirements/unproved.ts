import type { Gap } from './coverage.ts';
import type { RequirementId } from './index.ts';

interface KnownGap extends Gap {
  readonly requirements: readonly RequirementId[];
}

/** Rules of level MUST that no test proves yet, each with the reason. What is proved must leave the list. */
export const unproved: readonly KnownGap[] = [];
