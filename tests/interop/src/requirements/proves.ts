import type { Era } from '@signalbox/mcp-core';
import type { TestOptions } from 'vitest';
import type { RequirementId } from './index.ts';
import type { Side, Wire } from './requirement.ts';

/** A passed test's proof of a rule. */
export interface Proof {
  readonly requirement: string;
  readonly side: Side;
  readonly era: Era;
  /** `any`: a wire that the specification does not define. */
  readonly wire: Wire | 'any';
}

declare module 'vitest' {
  interface TaskMeta {
    proofs?: readonly Proof[];
  }
}

export interface Subject {
  readonly side: Side;
  readonly era: Era;
  readonly wire: Wire | 'any';
}

/**
 * Returns test options that record which rules the test proves when it passes, for the given side,
 * era and wire. The reporter of the workspace collects them.
 */
export function proves(subject: Subject, ...requirements: readonly RequirementId[]): TestOptions {
  return { meta: { proofs: requirements.map((requirement) => ({ requirement, ...subject })) } };
}
