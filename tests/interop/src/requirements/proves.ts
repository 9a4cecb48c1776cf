import type { Era } from '@signalbox/mcp-core';
import type { TestOptions } from 'vitest';
import type { RequirementId } from './index.ts';
import type { Side, Wire } from './requirement.ts';

/** What a passed test proves of one rule. */
export interface Proof {
  readonly requirement: string;
  readonly side: Side;
  readonly era: Era;
  /** `any`: no wire that the specification knows. */
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

/** Options of a test: what it proves when it passes, for the given side, era and wire. The reporter of the workspace collects it. */
export function proves(subject: Subject, ...requirements: readonly RequirementId[]): TestOptions {
  return { meta: { proofs: requirements.map((requirement) => ({ requirement, ...subject })) } };
}
