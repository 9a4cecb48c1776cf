import type { Gap } from './coverage.ts';
import type { RequirementId } from './index.ts';

interface KnownGap extends Gap {
  readonly requirements: readonly RequirementId[];
}

/** Rules of level MUST that no test proves yet, each with the reason. What is proved must leave the list. */
export const unproved: readonly KnownGap[] = [
  {
    requirements: ['sampling.tool-results-alone', 'sampling.tool-results-match'],
    reason: 'The messages of a sampling request are those of the handler; the server sends them without looking at their tool results.',
  },
];
